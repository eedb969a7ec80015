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
#include <stop_token>
int main(){mutex m;condition_variable_any c;bool r=false;{jthread t([&](stop_token s){unique_lock l(m);c.wait(l,s,[]{return false;});r=true;});}return r?0:1;}
