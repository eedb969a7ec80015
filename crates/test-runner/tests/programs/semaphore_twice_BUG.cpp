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
int main(){counting_semaphore<2> s(2);int x=0;auto f=[&]{s.acquire();x++;s.release();};thread t(f),u(f);t.join();u.join();return 0;}
