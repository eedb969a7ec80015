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
struct E{int v[4];~E(){v[0]=0;}};int main(){promise<int> p;auto f=p.get_future().share();thread t([&]{try{throw E{{1,2,3,4}};}catch(...){p.set_exception(current_exception());}});auto g=[&]{try{f.get();}catch(E&e){if(e.v[1]!=2)abort();}};thread u(g),w(g);t.join();u.join();w.join();return 0;}
