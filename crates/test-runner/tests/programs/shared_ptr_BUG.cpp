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
int main(){auto p=make_shared<int>(1);thread t([&]{p=make_shared<int>(2);});thread u([&]{auto q=p;(void)q;});t.join();u.join();return 0;}
