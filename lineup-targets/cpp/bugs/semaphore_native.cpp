// std::counting_semaphore without a scheduler: two threads acquire and release it once in each round. Ends when a round does not, although the
// semaphore is free.   g++ -std=c++20 -O2 -pthread semaphore_native.cpp && ./a.out
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <semaphore>
#include <thread>
static constexpr long ROUNDS = 20'000'000;
static std::counting_semaphore<4> free_places{1};
static std::atomic<long> begun{0}, ended{0};
static void wait_for(std::atomic<long> &counter, long value) { while (counter.load() < value) {} }
int main() {
  std::thread waiter([] {
    for (long round = 1; round <= ROUNDS; round++) { wait_for(begun, round); free_places.acquire(); free_places.release(); ended.store(round); } });
  std::thread watch([] {
    for (long seen = -1, stalled = 0;;) {
      std::this_thread::sleep_for(std::chrono::seconds(1));
      long now = ended.load();
      stalled = now == seen ? stalled + 1 : 0;
      seen = now;
      // Nobody else holds it: it could be acquired here.
      if (stalled >= 5) { std::printf("round %ld: a thread sleeps in acquire(), and try_acquire() = %d\n", now + 1, free_places.try_acquire()); std::fflush(stdout); std::_Exit(1); } } });
  unsigned random = 1;
  for (long round = 1; round <= ROUNDS; round++) {
    begun.store(round);
    free_places.acquire();
    random = random * 1664525 + 1013904223;
    for (unsigned held = random >> 20; held > 0; held--) asm volatile("");
    free_places.release();
    wait_for(ended, round);
  }
  std::puts("every round ended");
  std::fflush(stdout);
  std::_Exit(0);
}
