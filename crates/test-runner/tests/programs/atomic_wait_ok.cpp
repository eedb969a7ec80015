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
int main(){atomic<int> a{0};int x=0;thread t([&]{x=1;a=1;a.notify_one();});a.wait(0);int y=x;t.join();return y!=1;}
