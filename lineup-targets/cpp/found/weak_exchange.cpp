// A weak compare-and-swap may fail although it finds what it expects. BUG without GOOD: its failure is taken for "somebody has it".
#include "lineup.hpp"
#include <atomic>
struct Flag { std::atomic<int> taken{0}; };
int main() { return lineup::component<Flag>("flag")
  .op("take()", [](Flag &f) { int expected = 0;
#ifdef GOOD
    while (!f.taken.compare_exchange_weak(expected, 1)) if (expected != 0) return false;
    return true;
#else
    return f.taken.compare_exchange_weak(expected, 1);
#endif
  })
  .op("is_taken()", [](Flag &f) { return f.taken.load() != 0; })
  .run(); }
