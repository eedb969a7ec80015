// A lost update that an assertion notices, one access to a line.
#include "lineup.hpp"
#include <atomic>
#include <cassert>
struct C { std::atomic<int> n{0}; };
static void inc(C &c) {
  int v = c.n.load();
  c.n.store(v + 1);
  int read = c.n.load();
  assert(read == v + 1);
}
int main() { return lineup::component<C>("stops").op("inc()", inc).run(); }
