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
#include <semaphore.h>
int main(){auto*s=new sem_t;sem_init(s,0,0);thread t([&]{sem_post(s);sem_post(s);});sem_wait(s);delete s;t.join();return 0;}
