// Readers count themselves, look for a writer, and take themselves away again if there is one: a wait in which every step changes something.
// BUG with -DBAD: the writer forgets to let the readers in.
#include "lineup.hpp"
#include <atomic>
struct Lock { std::atomic<int> word{0}; int data = 0; static constexpr int WRITER = 1, READER = 2;
  void read_lock() { while (word.fetch_add(READER, std::memory_order_acquire) & WRITER) word.fetch_sub(READER, std::memory_order_release); }
  void read_unlock() { word.fetch_sub(READER, std::memory_order_release); }
  void write_lock() { int expected = 0; while (!word.compare_exchange_strong(expected, WRITER, std::memory_order_acquire, std::memory_order_relaxed)) expected = 0; }
  void write_unlock() {
#ifndef BAD
    word.fetch_and(~WRITER, std::memory_order_release);
#endif
  } };
int main() { return lineup::component<Lock>("readers that undo")
  .op("write()", [](Lock &l) { l.write_lock(); int now = ++l.data; l.write_unlock(); return now; })
  .op("read()", [](Lock &l) { l.read_lock(); int now = l.data; l.read_unlock(); return now; })
  .run(); }
