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
int main(){mutex a,b;thread h([]{for(;;)this_thread::sleep_for(chrono::milliseconds(50));});h.detach();thread x([&]{scoped_lock g(a);scoped_lock h(b);});thread y([&]{scoped_lock g(b);scoped_lock h(a);});x.join();y.join();exit(0);}
