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
once_flag o;int n=0,x=0;int main(){auto f=[&]{try{call_once(o,[&]{if(n++==0)throw 1;x=5;});}catch(int){}};thread t(f),u(f);t.join();u.join();return 0;}
