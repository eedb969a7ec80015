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
int main(){counting_semaphore<2> s(0);int x=0;thread t([&]{x=1;s.release();});s.acquire();int y=x;t.join();return y!=1;}
