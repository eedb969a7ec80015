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
int main(){mutex m;condition_variable c;bool d=false;thread t([&]{for(int i=0;i<3000;i++)this_thread::sleep_for(chrono::seconds(2));{lock_guard g(m);d=true;}c.notify_all();});{unique_lock l(m);c.wait(l,[&]{return d;});}t.join();return 0;}
