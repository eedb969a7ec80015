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
int main(){int x=0;packaged_task<void()> k([&]{x=7;});auto f=k.get_future();thread t([&]{k.make_ready_at_thread_exit();});f.wait();int y=x;t.join();return y!=7;}
