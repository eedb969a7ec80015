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
struct S{mutex m;};int main(){auto*s=new S;atomic<bool> d{false};thread t([&]{s->m.lock();d=true;s->m.unlock();});while(!d)this_thread::yield();delete s;t.join();return 0;}
