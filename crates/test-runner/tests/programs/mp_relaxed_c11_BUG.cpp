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
int main(){atomic<int> x{0},f{0};int r=0,s=0;thread t([&]{x.store(1,memory_order_relaxed);f.store(1,memory_order_relaxed);});thread u([&]{r=f.load(memory_order_relaxed);s=x.load(memory_order_relaxed);});t.join();u.join();return r==1&&s==0;}
