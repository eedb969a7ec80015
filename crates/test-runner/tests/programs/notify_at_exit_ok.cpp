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
int main(){mutex m;condition_variable c;bool d=false;int x=0;thread t([&]{unique_lock l(m);d=true;x=1;notify_all_at_thread_exit(c,move(l));});{unique_lock l(m);c.wait(l,[&]{return d;});}int y=x;t.join();return y!=1;}
