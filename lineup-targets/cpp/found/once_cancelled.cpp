// The thread that runs the routine of pthread_once is cancelled in it: the next caller runs it again.
#include "lineup.hpp"
#include <atomic>
#include <pthread.h>
struct Lazy { pthread_once_t once = PTHREAD_ONCE_INIT; int value = 0; std::atomic<bool> cancels{true}; };
static thread_local Lazy *current;
static void make() {
  if (current->cancels.exchange(false)) { pthread_cancel(pthread_self()); pthread_testcancel(); }
  current->value += 7; }
static void *first(void *lazy) { current = static_cast<Lazy *>(lazy); pthread_once(&current->once, make); return nullptr; }
int main() { return lineup::component<Lazy>("once")
  .op("get()", [](Lazy &l) {
    pthread_t thread; pthread_create(&thread, nullptr, first, &l); pthread_join(thread, nullptr);
    current = &l; pthread_once(&l.once, make);
    return l.value; })
  .run(); }
