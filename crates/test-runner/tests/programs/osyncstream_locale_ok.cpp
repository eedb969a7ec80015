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
#include <iostream>
#include <syncstream>
#include <sstream>
int main(){auto f=[]{ostringstream o;o<<3.5<<"x";osyncstream(cout)<<o.str()<<"\n";};thread t(f),u(f);t.join();u.join();return 0;}
