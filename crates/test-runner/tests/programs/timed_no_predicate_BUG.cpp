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
int main(){mutex m;condition_variable c;int v=0;thread t([&]{lock_guard g(m);v=1;c.notify_one();});{unique_lock l(m);if(!v)if(c.wait_for(l,chrono::hours(1))==cv_status::no_timeout&&!v)abort();}t.join();return 0;}
