// Memory that one call gives back and another gets again at the same address: nothing is shared. BUG with -DBAD: it is kept.
#include "lineup.hpp"
#include <atomic>
#include <sys/mman.h>
#include <unistd.h>
struct Memory { std::atomic<int> uses{0}; int *kept = static_cast<int *>(mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)); };
static int use(Memory &m, int *p) {
#ifdef BAD
  p = m.kept;
#endif
  *p = 1; int read = *p; m.uses.fetch_add(1, std::memory_order_relaxed); return read; }
int main() { return lineup::component<Memory>("memory")
  .op("move()", [](Memory &m) {
    void *p = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int read = use(m, static_cast<int *>(p));
    p = mremap(p, 4096, 1 << 20, MREMAP_MAYMOVE);
    read += use(m, static_cast<int *>(p));
    munmap(p, 1 << 20);
    return read; })
  // The break is the process's: nothing is a step between the two moves of it.
  .op("grow()", [](Memory &m) {
    int *p = static_cast<int *>(sbrk(4096)); *p = 1; int read = *p; sbrk(-4096);
    m.uses.fetch_add(1, std::memory_order_relaxed);
    return read; })
  .run(); }
