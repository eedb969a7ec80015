// BUG: the wake-up comes before the store. Under some seeds it is stuck, after it has spun.
#include <atomic>
#include <thread>
#include <cstdio>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
std::atomic<int> s{0};
int main() {
  std::thread w([] { for (int i = 0; i < 10; i++) if (s.load() == 1) return; while (s.load() == 0) syscall(SYS_futex, (int *)&s, FUTEX_WAIT_PRIVATE, 0, nullptr, nullptr, 0); });
  std::thread b([] { syscall(SYS_futex, (int *)&s, FUTEX_WAKE_PRIVATE, 100, nullptr, nullptr, 0); s.store(1); });
  w.join(); b.join(); puts("done");
}
