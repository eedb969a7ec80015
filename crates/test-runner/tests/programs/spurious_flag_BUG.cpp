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
int main(){mutex m;condition_variable c;bool go=false;int done=0;auto f=[&]{unique_lock l(m);if(!go)c.wait(l);if(!go)abort();done++;};thread t(f);{lock_guard g(m);go=true;}c.notify_all();t.join();return 0;}
