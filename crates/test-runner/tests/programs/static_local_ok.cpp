#include <thread>
#include <mutex>
#include <condition_variable>
#include <atomic>
#include <future>
#include <shared_mutex>
#include <vector>
#include <chrono>
#include <memory>
#include <latch>
#include <barrier>
#include <semaphore>
#include <cstdlib>
#include <cstdio>
using namespace std;
struct X{int v;X(){v=4;}};X&g(){static X x;return x;}int main(){auto f=[]{if(g().v!=4)abort();};thread t(f),u(f);t.join();u.join();return 0;}
