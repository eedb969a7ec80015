// asymmetric Dekker: readers have a compiler fence only, the writer calls membarrier(2); correct on Linux. BUG with -DBAD: no barrier.
#include "lineup.hpp"
#include <atomic>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>
static int mb(int c) { return syscall(SYS_membarrier, c, 0, 0); }
struct S { std::atomic<int> r{0}, w{0}, inside{0}; S() { mb(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED); } };
int main() { return lineup::component<S>("membarrier")
 .op("reader()", [](S &s) { s.r.store(1, std::memory_order_relaxed); std::atomic_signal_fence(std::memory_order_seq_cst); if (s.w.load(std::memory_order_relaxed) == 0) s.inside.fetch_add(1); })
 .op("writer()", [](S &s) { s.w.store(1, std::memory_order_relaxed);
#ifndef BAD
    mb(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
#endif
    if (s.r.load(std::memory_order_relaxed) == 0) s.inside.fetch_add(1); })
 .op("both()", [](S &s) { return s.inside.load() == 2; })
 .run(); }
