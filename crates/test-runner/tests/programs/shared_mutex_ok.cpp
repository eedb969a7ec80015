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
int main(){shared_mutex m;int x=0;thread t([&]{unique_lock l(m);x=1;});thread u([&]{shared_lock l(m);int y=x;(void)y;});thread v([&]{shared_timed_mutex q;if(q.try_lock_for(chrono::milliseconds(1)))q.unlock();shared_lock l(m);});t.join();u.join();v.join();return 0;}
