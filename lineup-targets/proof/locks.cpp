// Locks, events and once-cells that guard plain data, each correct as it stands. -DK=… chooses one; -DM=… deletes one thing it needs:
// an order, a fence, a check, a lock. proof.py says which answer each has.
#include "lineup.hpp"
#include <atomic>
#include <condition_variable>
#include <linux/futex.h>
#include <mutex>
#include <pthread.h>
#include <semaphore.h>
#include <shared_mutex>
#include <stdexcept>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>
#ifndef M
#define M 0
#endif
#define ORDER(mutant, order) (M == mutant ? std::memory_order_relaxed : std::memory_order_##order)
static void wait_at(std::atomic<int> &word, int value) { syscall(SYS_futex, (int *)&word, FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0); }
static void wake_at(std::atomic<int> &word, int count) { syscall(SYS_futex, (int *)&word, FUTEX_WAKE_PRIVATE, count, nullptr, nullptr, 0); }

#if K == 1 // test and set
struct Lock { std::atomic<int> taken{0};
    void lock() { while (taken.exchange(1, ORDER(1, acquire))) {} }
    void unlock() { taken.store(0, ORDER(2, release)); } };
#elif K == 2 // test, then test and set
struct Lock { std::atomic<int> taken{0};
    void lock() {
        for (;;) { while (taken.load(std::memory_order_relaxed)) {}
#if M == 1
            taken.store(1); return;
#else
            if (!taken.exchange(1, std::memory_order_acquire)) return;
#endif
        } }
    void unlock() { taken.store(0, ORDER(2, release)); } };
#elif K == 3 // tickets
struct Lock { std::atomic<int> next{0}, now{0};
    void lock() {
#if M == 1
        int mine = next.load(); next.store(mine + 1);
#else
        int mine = next.fetch_add(1, std::memory_order_relaxed);
#endif
        while (now.load(ORDER(2, acquire)) != mine) {} }
    void unlock() { now.store(now.load(std::memory_order_relaxed) + 1, ORDER(3, release)); } };
#elif K == 4 // MCS
struct Lock { struct Node { std::atomic<Node *> next{nullptr}; std::atomic<int> waits{0}; };
    std::atomic<Node *> tail{nullptr}; Node nodes[4]; std::atomic<int> used{0};
    static thread_local Node *mine;
    void lock() { if (!mine) mine = &nodes[used.fetch_add(1)];
        mine->next.store(nullptr, std::memory_order_relaxed); mine->waits.store(1, std::memory_order_relaxed);
        Node *before = tail.exchange(mine, std::memory_order_acq_rel);
        if (before) { before->next.store(mine, std::memory_order_release); while (mine->waits.load(ORDER(1, acquire))) {} } }
    void unlock() { Node *next = mine->next.load(std::memory_order_acquire);
        if (!next) { Node *expected = mine;
            if (tail.compare_exchange_strong(expected, nullptr, std::memory_order_release, std::memory_order_relaxed)) return;
#if M == 2
            return; // does not wait for the one that has come in between
#endif
            while (!(next = mine->next.load(std::memory_order_acquire))) {} }
        next->waits.store(0, ORDER(3, release)); } };
thread_local Lock::Node *Lock::mine = nullptr;
#elif K == 5 // a futex with three states
struct Lock { std::atomic<int> s{0};
    void lock() { int found = 0; if (s.compare_exchange_strong(found, 1, ORDER(1, acquire))) return;
#if M == 2
        while (s.exchange(1, std::memory_order_acquire)) wait_at(s, 1);
#else
        if (found != 2) found = s.exchange(2, std::memory_order_acquire);
        while (found) { wait_at(s, 2); found = s.exchange(2, std::memory_order_acquire); }
#endif
    }
    void unlock() {
#if M == 3
        s.store(0, std::memory_order_release);
#else
        if (s.exchange(0, ORDER(4, release)) == 2) wake_at(s, 1);
#endif
    } };
#elif K == 6 // spins a little, then sleeps
struct Lock { std::atomic<int> s{0}, sleepers{0};
    void lock() {
        for (int i = 0; i < 20; i++) { int free = 0; if (s.compare_exchange_strong(free, 1)) return; }
        sleepers.fetch_add(1);
        for (;;) { int free = 0; if (s.compare_exchange_strong(free, 1)) break; wait_at(s, 1); }
        sleepers.fetch_sub(1); }
    void unlock() {
#if M == 1
        bool anyone = sleepers.load() != 0; s.store(0); if (anyone) wake_at(s, 1);
#elif M == 2
        wake_at(s, 1); s.store(0);
#else
        s.store(0); if (sleepers.load()) wake_at(s, 1);
#endif
    } };
#elif K == 7
using Lock = std::mutex;
#elif K == 8
using Lock = std::recursive_mutex;
#elif K == 9
struct Lock { pthread_spinlock_t l; Lock() { pthread_spin_init(&l, 0); } void lock() { pthread_spin_lock(&l); } void unlock() { pthread_spin_unlock(&l); } };
#elif K == 10
struct Lock { sem_t l; Lock() { sem_init(&l, 0, 1); } void lock() { sem_wait(&l); } void unlock() { sem_post(&l); } };
#elif K == 11 // std::atomic_flag with wait
struct Lock { std::atomic_flag f = ATOMIC_FLAG_INIT;
    void lock() { while (f.test_and_set(std::memory_order_acquire)) f.wait(true, std::memory_order_relaxed); }
    void unlock() { f.clear(ORDER(1, release)); if (M != 2) f.notify_one(); } };
#elif K == 12 // tries a bounded number of times before it takes the mutex for good
struct Lock { std::mutex m; void lock() { for (int i = 0; i < 5; i++) if (m.try_lock()) return; if (M != 1) m.lock(); } void unlock() { m.unlock(); } };
#endif
#if K <= 12
struct S { Lock l; int n = 0; };
int main() { return lineup::component<S>("lock")
    .op("add()", [](S &s) { s.l.lock(); int n = ++s.n; s.l.unlock(); return n; })
    .op("get()", [](S &s) { if (M == 9) return s.n; s.l.lock(); int n = s.n; s.l.unlock(); return n; }).run(); }
#endif

#if K == 13 // readers and a writer in one word
struct S { std::atomic<int> w{0}; int n = 0; };
int main() { return lineup::component<S>("rwlock")
    .op("add()", [](S &s) { int free = 0;
#if M == 1
        do free = s.w.load() & ~1; while (!s.w.compare_exchange_strong(free, free | 1));
#else
        while (!s.w.compare_exchange_strong(free, 1, std::memory_order_acquire)) free = 0;
#endif
        int n = ++s.n; s.w.fetch_and(~1, ORDER(2, release)); return n; })
    .op("get()", [](S &s) { for (;;) { int r = s.w.load(std::memory_order_relaxed); if (!(r & 1) && s.w.compare_exchange_weak(r, r + 2, ORDER(3, acquire))) break; }
        int n = s.n; s.w.fetch_sub(2, ORDER(4, release)); return n; }).run(); }
#elif K == 14 // std::shared_mutex
struct S { std::shared_mutex m; int n = 0; };
int main() { return lineup::component<S>("shared_mutex")
    .op("add()", [](S &s) { if (M == 1) { std::shared_lock l(s.m); return ++s.n; } std::unique_lock l(s.m); return ++s.n; })
    .op("get()", [](S &s) { std::shared_lock l(s.m); return s.n; }).run(); }
#elif K == 15 // pthread_rwlock
struct S { pthread_rwlock_t m = PTHREAD_RWLOCK_INITIALIZER; int n = 0; };
int main() { return lineup::component<S>("pthread_rwlock")
    .op("add()", [](S &s) { M == 1 ? pthread_rwlock_rdlock(&s.m) : pthread_rwlock_wrlock(&s.m); int n = ++s.n; pthread_rwlock_unlock(&s.m); return n; })
    .op("get()", [](S &s) { pthread_rwlock_rdlock(&s.m); int n = s.n; pthread_rwlock_unlock(&s.m); return n; }).run(); }
#elif K == 16 // a sequence lock
struct S { std::atomic<unsigned> seq{0}; std::atomic<int> a{0}, b{0}; };
int main() { return lineup::component<S>("seqlock")
    .op("write()", [](S &s) { unsigned even; do even = s.seq.load(std::memory_order_relaxed) & ~1u; while (!s.seq.compare_exchange_strong(even, even + 1, std::memory_order_relaxed));
        if (M != 1) std::atomic_thread_fence(std::memory_order_release);
        s.a.store(s.a.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed); s.b.store(s.b.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
        s.seq.store(even + 2, ORDER(2, release)); })
    .op("read()", [](S &s) { for (;;) { unsigned one = s.seq.load(ORDER(3, acquire)); if (one & 1) continue;
        int a = s.a.load(std::memory_order_relaxed), b = s.b.load(std::memory_order_relaxed);
        if (M != 4) std::atomic_thread_fence(std::memory_order_acquire);
        if (M == 5 || s.seq.load(std::memory_order_relaxed) == one) return a * 10 + b; } }).role("writer", {"write()"}).run(); }
#elif K == 17 // a semaphore of a mutex and a condition variable
struct S { std::mutex m; std::condition_variable c; int n = 0; };
int main() { return lineup::component<S>("cv semaphore")
    .op("up()", [](S &s) {
#if M == 1
        s.c.notify_one(); std::lock_guard l(s.m); s.n++;
#else
        { std::lock_guard l(s.m); s.n++; } if (M != 2) s.c.notify_one();
#endif
    })
    .op("down()", [](S &s) { std::unique_lock l(s.m); if (M == 3) { if (!s.n) s.c.wait(l); } else while (!s.n) s.c.wait(l); return --s.n; }).run(); }
#elif K == 18 // an event on std::atomic::wait
struct S { std::atomic<int> f{0}; int data = 0; };
int main() { return lineup::component<S>("event")
    .op("set()", [](S &s) { if (M == 1) s.f.notify_all(); s.data = 7; s.f.store(1, ORDER(2, release)); if (M != 1) s.f.notify_all(); })
    .op("wait()", [](S &s) { s.f.wait(0, ORDER(3, acquire)); while (!s.f.load(ORDER(3, acquire))) {} return s.data; }).role("setter", {"set()"})
    .regression("set() | wait()").run(); }
#elif K == 19 // double-checked initialisation
struct S { std::atomic<int> ready{0}; std::mutex m; int v = 0, made = 0; };
int main() { return lineup::component<S>("double-checked")
    .op("get()", [](S &s) { if (!s.ready.load(ORDER(1, acquire))) { std::lock_guard l(s.m); if (M == 3 || !s.ready.load(std::memory_order_relaxed)) { s.v = 40 + ++s.made; s.ready.store(1, ORDER(2, release)); } } return s.v; }).run(); }
#elif K == 20 // std::call_once, whose function throws the first time
struct S { std::once_flag f; int v = 0, tries = 0; };
int main() { return lineup::component<S>("call_once")
    .op("init()", [](S &s) { try { std::call_once(s.f, [&] { if (s.tries++ == 0) throw std::runtime_error("x"); s.v = 7; }); return s.v; } catch (std::runtime_error &) { return -1; } })
    .run(); }
#elif K == 21 // pthread_once
static int v; static void init() { v++; }
struct S { pthread_once_t o = PTHREAD_ONCE_INIT; S() { v = 0; } };
int main() { return lineup::component<S>("pthread_once").op("init()", [](S &s) { if (M == 1) { init(); return v; } pthread_once(&s.o, init); return v; }).run(); }
#elif K == 22 // a static variable in a function
struct S { };
struct Made { int v; Made() : v(3) {} };
static Made *racy;
int main() { return lineup::component<S>("static").op("get()", [](S &) {
#if M == 1
    if (!racy) racy = new Made; return racy->v;
#else
    static Made made; return made.v;
#endif
    }).run(); }
#elif K == 23 // Dekker's entry with sequential consistency: not both may enter
struct S { std::atomic<int> a{0}, b{0}, inside{0}; };
int main() { return lineup::component<S>("dekker")
    .op("first()", [](S &s) { s.a.store(1, ORDER(1, seq_cst)); if (!s.b.load(ORDER(1, seq_cst))) s.inside.fetch_add(1); })
    .op("second()", [](S &s) { s.b.store(1, ORDER(1, seq_cst)); if (!s.a.load(ORDER(1, seq_cst))) s.inside.fetch_add(1); })
    .op("both()", [](S &s) { return s.inside.load() == 2; }).run(); }
#elif K == 24 // Peterson's lock
struct S { std::atomic<int> flag[2]{{0}, {0}}, turn{0}; int n = 0;
    int add(int me) { flag[me].store(1, ORDER(2, seq_cst)); if (M != 1) turn.store(1 - me, ORDER(2, seq_cst));
        while (flag[1 - me].load(ORDER(2, seq_cst)) && turn.load(ORDER(2, seq_cst)) == 1 - me) {}
        int r = ++n; flag[me].store(0, std::memory_order_release); return r; } };
int main() { return lineup::component<S>("peterson").op("zero()", [](S &s) { return s.add(0); }).op("one()", [](S &s) { return s.add(1); }).role("0", {"zero()"}).role("1", {"one()"}).run(); }
#elif K == 25 // membarrier(2) in place of a reader's fence
#include <linux/membarrier.h>
static int barrier(int command) { return syscall(SYS_membarrier, command, 0, 0); }
struct S { std::atomic<int> r{0}, w{0}, inside{0}; S() { barrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED); barrier(MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED); }
    void write(int command) { w.store(1, std::memory_order_relaxed); if (M != 1) barrier(command); if (!r.load(std::memory_order_relaxed)) inside.fetch_add(1); } };
int main() { return lineup::component<S>("membarrier")
    .op("reader()", [](S &s) { s.r.store(1, std::memory_order_relaxed); std::atomic_signal_fence(std::memory_order_seq_cst); if (!s.w.load(std::memory_order_relaxed)) s.inside.fetch_add(1); })
    .op("private()", [](S &s) { s.write(MEMBARRIER_CMD_PRIVATE_EXPEDITED); }).op("global()", [](S &s) { s.write(MEMBARRIER_CMD_GLOBAL_EXPEDITED); })
    .op("both()", [](S &s) { return s.inside.load() == 2; }).run(); }
#elif K == 26 // a lock with a time limit
struct S { std::timed_mutex m; int n = 0; };
int main() { return lineup::component<S>("timed_mutex").op("add()", [](S &s) { if (s.m.try_lock_for(std::chrono::milliseconds(5))) { s.n++; s.m.unlock(); return true; } if (M == 1) s.n++; return false; })
    .op("get()", [](S &s) { std::lock_guard l(s.m); return s.n; }).may_fail("add()").run(); }
#elif K == 27 // a thread that works for a call
struct S { int n = 0; std::mutex m; };
int main() { return lineup::component<S>("helper").op("add()", [](S &s) { int got = 0; std::thread t([&] { if (M == 1) { got = ++s.n; return; } std::lock_guard l(s.m); got = ++s.n; }); t.join(); return got; }).run(); }
#endif
