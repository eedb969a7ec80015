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
int main(){latch a(2);barrier b(2);int x=0,y=0;thread t([&]{x=1;a.arrive_and_wait();b.arrive_and_wait();y=x;});thread u([&]{a.arrive_and_wait();int z=x;b.arrive_and_wait();(void)z;});t.join();u.join();return y!=1;}
