// What recording costs: nanoseconds per operation, the best of 400 batches of 500, one thread.
//
//   c++ -std=c++17 -O2 -I recorders/cpp -I examples/systems/map recorders/cpp/cost.cpp -o cost -pthread && ./cost trace
//
// Needs moodycamel's queue (Debian: apt install libconcurrentqueue-dev) and x86-64.
#include "map.hpp"
#include "omnilink.hpp"

#include <concurrentqueue/concurrentqueue.h>
#include <x86intrin.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

template <typename Operation>
static double cost(Operation operation) {
  using Clock = std::chrono::steady_clock;
  double best = 1e9;
  for (int batch = 0; batch < 400; batch++) {
    auto start = Clock::now();
    for (long k = 0; k < 500; k++) operation(k);
    best = std::min(best, std::chrono::duration<double, std::nano>(Clock::now() - start).count() / 500);
  }
  return best;
}

int main(int count, char **arguments) {
  omnilink::Recorder recorder(count > 1 ? arguments[1] : "trace");
  {
    omnilink::ThreadLog log = recorder.thread(0);
    volatile long cell = 0;
    volatile unsigned long long time = 0;
    unsigned processor = 0;
    double plain = cost([&](long k) { cell = cell + k; });
    double clocks = cost([&](long k) {
      _mm_mfence();
      _mm_lfence();
      time = __rdtsc();
      _mm_lfence();
      cell = cell + k;
      _mm_mfence();
      time = __rdtscp(&processor);
      _mm_lfence();
    });
    double recorded = cost([&](long k) {
      log.record("add", {{"value", k}}, [&] {
        cell = cell + k;
        return true;
      });
    });
    std::printf("addition %.0f ns, with two fenced clock readings %.0f ns, recorded %.0f ns\n", plain, clocks, recorded);

    moodycamel::ConcurrentQueue<long> queue;
    long item = 0;
    plain = cost([&](long k) { k & 1 ? queue.enqueue(k) : queue.try_dequeue(item); });
    recorded = cost([&](long k) {
      if (k & 1) {
        log.record("enqueue", {{"value", k}}, [&] { return queue.enqueue(k); });
      } else {
        log.record("dequeue", {}, [&] { return queue.try_dequeue(item); });
      }
    });
    std::printf("queue %.0f ns, recorded %.0f ns\n", plain, recorded);

    Map map;
    plain = cost([&](long k) { k & 1 ? map.insert(k % 24 + 1, k) : k & 2 ? map.erase(k % 24 + 1) : map.lookup(k % 24 + 1); });
    recorded = cost([&](long k) {
      long key = k % 24 + 1;
      if (k & 1) {
        log.record("Insert", {{"key", key}, {"value", k}}, [&] { return map.insert(key, k); });
      } else if (k & 2) {
        log.record("Erase", {{"key", key}}, [&] { return map.erase(key); });
      } else {
        log.record("Lookup", {{"key", key}}, [&] { return map.lookup(key); });
      }
    });
    std::printf("map %.0f ns, recorded %.0f ns\n", plain, recorded);
  }
  recorder.finish();
}
