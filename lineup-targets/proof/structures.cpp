// Queues, stacks, maps, cells and counters, each correct as it stands. -DK=… chooses one; -DM=… deletes one thing it needs.
#include "lineup.hpp"
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <sstream>
#include <string>
#include <sys/mman.h>
#include <vector>
#ifndef M
#define M 0
#endif
#define ORDER(mutant, order) (M == mutant ? std::memory_order_relaxed : std::memory_order_##order)
using std::optional;
#define MAIN(name) int main() { return lineup::component<S>(name)
#define PUSH_POP .op("push(1)", [](S &s) { return s.push(1); }).op("push(2)", [](S &s) { return s.push(2); }).op("pop()", [](S &s) { return s.pop(); }).run(); }

#if K == 1 // a ring for one producer and one consumer; one place, so that two calls of each come round
struct S { std::atomic<unsigned> head{0}, tail{0}; int items[1] = {};
    bool push(int v) { unsigned t = tail.load(std::memory_order_relaxed); if (t - head.load(ORDER(1, acquire)) == (M == 2 ? 2 : 1)) return false; items[t % 1] = v; tail.store(t + 1, ORDER(3, release)); return true; }
    optional<int> pop() { unsigned h = head.load(std::memory_order_relaxed); if (h == tail.load(ORDER(4, acquire))) return {}; int v = items[h % 1]; head.store(h + 1, ORDER(5, release)); return v; } };
MAIN("spsc").role("producer", {"push(1)", "push(2)"}).role("consumer", {"pop()"}) PUSH_POP
#elif K == 2 // a queue behind a mutex
struct S { std::mutex m; std::deque<int> q;
    void push(int v) { std::lock_guard l(m); q.push_back(v); }
    optional<int> pop() {
#if M == 1
        { std::lock_guard l(m); if (q.empty()) return {}; } std::lock_guard l(m); if (q.empty()) return -1; int v = q.front(); q.pop_front(); return v;
#elif M == 2
        if (q.empty()) return {}; int v = q.front(); q.pop_front(); return v;
#else
        std::lock_guard l(m); if (q.empty()) return {}; int v = q.front(); q.pop_front(); return v;
#endif
    } };
MAIN("mutex queue") PUSH_POP
#elif K == 3 // two locks, Michael and Scott
struct S { struct N { int v; std::atomic<N *> next{nullptr}; }; N *head, *tail; std::mutex hm, tm;
    S() { head = tail = new N; } ~S() { while (head) { N *n = head->next; delete head; head = n; } }
    void push(int v) { N *n = new N; n->v = v; std::unique_lock l(tm); if (M == 1) l.unlock(); tail->next.store(n, ORDER(2, release)); tail = n; }
    optional<int> pop() { std::lock_guard l(hm); N *n = head->next.load(ORDER(3, acquire)); if (!n) return {}; int v = n->v; N *old = head; head = n; delete old; return v; } };
MAIN("two-lock queue") PUSH_POP
#elif K == 4 // without locks, Michael and Scott; nodes are freed at the end
struct S { struct N { int v = 0; std::atomic<N *> next{nullptr}; N *all = nullptr; }; std::atomic<N *> head, tail, all{nullptr};
    N *node(int v) { N *n = new N; n->v = v; n->all = all.load(); while (!all.compare_exchange_weak(n->all, n)) {} return n; }
    S() { N *n = node(0); head = n; tail = n; } ~S() { for (N *n = all; n;) { N *next = n->all; delete n; n = next; } }
    void push(int v) { N *n = node(v); for (;;) { N *t = tail.load(std::memory_order_acquire), *next = t->next.load(std::memory_order_acquire);
        if (next) { if (M != 1) tail.compare_exchange_strong(t, next, std::memory_order_release, std::memory_order_relaxed); continue; }
#if M == 2
        t->next.store(n); tail.store(n); return;
#endif
        if (t->next.compare_exchange_strong(next, n, ORDER(3, release), std::memory_order_relaxed)) { if (M != 1) tail.compare_exchange_strong(t, n, std::memory_order_release, std::memory_order_relaxed); return; } } }
    optional<int> pop() { for (;;) { N *h = head.load(std::memory_order_acquire), *t = tail.load(std::memory_order_acquire), *n = h->next.load(std::memory_order_acquire);
        if (M != 4 && h != head.load(std::memory_order_acquire)) continue;
        if (!n) return {}; if (h == t) { tail.compare_exchange_strong(t, n, std::memory_order_release, std::memory_order_relaxed); continue; }
        int v = n->v;
#if M == 5
        head.store(n); return v;
#endif
        if (head.compare_exchange_strong(h, n, std::memory_order_acq_rel, std::memory_order_relaxed)) return v; } } };
MAIN("Michael-Scott") PUSH_POP
#elif K == 5 // Treiber's stack; nodes are freed at the end
struct S { struct N { int v; N *next; N *all; }; std::atomic<N *> top{nullptr}, all{nullptr};
    ~S() { for (N *n = all; n;) { N *next = n->all; delete n; n = next; } }
    void push(int v) { N *n = new N{v, nullptr, nullptr}; if (M != 3) { n->all = all.load(); while (!all.compare_exchange_weak(n->all, n)) {} }
        n->next = top.load(std::memory_order_relaxed);
#if M == 1
        top.store(n);
#else
        while (!top.compare_exchange_weak(n->next, n, ORDER(2, release), std::memory_order_relaxed)) {}
#endif
    }
    optional<int> pop() { N *n = top.load(ORDER(4, acquire)); while (n && !top.compare_exchange_weak(n, n->next, ORDER(4, acquire), ORDER(4, acquire))) {} if (!n) return {}; int v = n->v; if (M == 3) delete n; return v; } };
MAIN("Treiber") PUSH_POP
#elif K == 6 // bounded and blocking
struct S { std::mutex m; std::condition_variable some, room; std::deque<int> q;
    void push(int v) { std::unique_lock l(m); while (q.size() == 1) room.wait(l); q.push_back(v); if (M != 1) some.notify_one(); }
    int pop() { std::unique_lock l(m); if (M == 3) { if (q.empty()) some.wait(l); } else while (q.empty()) some.wait(l); int v = q.empty() ? -1 : q.front(); if (!q.empty()) q.pop_front(); if (M != 2) room.notify_one(); return v; } };
MAIN("blocking queue") PUSH_POP
#elif K == 7 // stripes
struct S { std::mutex m[2]; std::map<int, int> part[2]; S() { part[0][2] = 1; } };
MAIN("striped map").op("put(1)", [](S &s) { std::lock_guard l(s.m[1]); return s.part[1][1]++; })
    .op("move()", [](S &s) { std::lock_guard a(s.m[0]); std::lock_guard b(s.m[1]); if (!s.part[0].erase(2)) return false; s.part[1][3] = 1; return true; })
    .op("get(1)", [](S &s) { std::lock_guard l(s.m[M == 1 ? 0 : 1]); return s.part[1].count(1); })
    .op("size()", [](S &s) { if (M == 2) { size_t n; { std::lock_guard a(s.m[0]); n = s.part[0].size(); } std::lock_guard b(s.m[1]); return n + s.part[1].size(); }
        std::lock_guard a(s.m[0]); std::lock_guard b(s.m[1]); return s.part[0].size() + s.part[1].size(); }).run(); }
#elif K == 8 // a shared pointer that is replaced
struct S { std::shared_ptr<int> p = std::make_shared<int>(0); std::mutex m; };
MAIN("shared_ptr").op("add()", [](S &s) { std::lock_guard l(s.m); auto n = std::make_shared<int>(*s.p + 1); M == 1 ? void(s.p = n) : std::atomic_store(&s.p, n); return *n; })
    .op("get()", [](S &s) { auto p = M == 1 ? s.p : std::atomic_load(&s.p); return *p; }).run(); }
#elif K == 9 // shared pointers that come and go
struct S { std::shared_ptr<std::string> p = std::make_shared<std::string>("x"); std::mutex m; };
MAIN("shared_ptr copies").op("use()", [](S &s) { std::shared_ptr<std::string> q; { std::lock_guard l(s.m); q = s.p; } std::weak_ptr<std::string> w = q; return w.lock()->size(); })
    .op("swap()", [](S &s) { auto n = std::make_shared<std::string>("y"); { std::unique_lock l(s.m); if (M == 1) l.unlock(); s.p.swap(n); } return n.use_count() > 0; }).run(); }
#elif K == 10 // a count of references
struct S { struct O { std::atomic<int> refs{2}; int data = 0; }; O *o = new O; std::atomic<int> freed{0};
    int drop(int v) { if (v) o->data += v;
#if M == 1
        int left = o->refs.load() - 1; o->refs.store(left);
#else
        int left = o->refs.fetch_sub(1, ORDER(2, acq_rel)) - 1;
#endif
        if (left == 0) { int d = o->data; delete o; return d; } return -1; } };
MAIN("refcount").op("one()", [](S &s) { return s.drop(5) >= 0; }).op("other()", [](S &s) { return s.drop(0) >= 0; }).role("a", {"one()"}).role("b", {"other()"}).regression("one() | other()").run(); }
#elif K == 11 // lazy creation by compare-and-swap
struct S { std::atomic<int *> p{nullptr}; ~S() { delete p.load(); } };
MAIN("lazy").op("get()", [](S &s) { int *p = s.p.load(ORDER(1, acquire)); if (p) return *p; int *n = new int(6);
#if M == 3
    s.p.store(n); return *n;
#endif
    if (s.p.compare_exchange_strong(p, n, ORDER(2, acq_rel), ORDER(2, acquire))) return *n; if (M != 4) delete n; return *p; }).run(); }
#elif K == 12 // a double collect
struct S { std::atomic<int> a{0}, b{0}; };
MAIN("snapshot").op("a()", [](S &s) { s.a.fetch_add(1); }).op("b()", [](S &s) { s.b.fetch_add(1); })
    .op("scan()", [](S &s) { for (;;) { int a = s.a.load(), b = s.b.load(); if (M == 1 || a == s.a.load()) return a * 10 + b; } }).run(); }
#elif K == 13
struct S { std::atomic<int> n{0}; };
MAIN("counter").op("add()", [](S &s) { if (M == 1) { int n = s.n.load() + 1; s.n.store(n); return n; } return s.n.fetch_add(1, std::memory_order_relaxed) + 1; }).op("get()", [](S &s) { return s.n.load(std::memory_order_relaxed); }).run(); }
#elif K == 14
struct S { std::atomic<int> n{0}; };
MAIN("maximum").op("max(2)", [](S &s) { int n = s.n.load(); if (M == 1) { if (n < 2) s.n.store(2); return; } while (n < 2 && !s.n.compare_exchange_weak(n, 2)) {} })
    .op("max(3)", [](S &s) { int n = s.n.load(); if (M == 1) { if (n < 3) s.n.store(3); return; } while (n < 3 && !s.n.compare_exchange_weak(n, 3)) {} }).op("get()", [](S &s) { return s.n.load(); }).run(); }
#elif K == 15
struct S { std::atomic<int> n{0}; };
MAIN("at most 1").op("take()", [](S &s) {
#if M == 1
    if (s.n.fetch_add(1) >= 1) { s.n.fetch_sub(1); return false; } return true;
#else
    int n = s.n.load(); do { if (n == 1) return false; } while (!s.n.compare_exchange_weak(n, n + 1)); return true;
#endif
    }).op("give()", [](S &s) { int n = s.n.load(); do { if (n == 0) return false; } while (!s.n.compare_exchange_weak(n, n - 1)); return true; }).op("get()", [](S &s) { return s.n.load(); }).run(); }
#elif K == 16 // a message behind fences
struct S { int data = 0; std::atomic<int> f{0}; };
MAIN("fences").op("send()", [](S &s) { s.data = 9; if (M != 1) std::atomic_thread_fence(std::memory_order_release); s.f.store(1, std::memory_order_relaxed); })
    .op("receive()", [](S &s) { if (!s.f.load(std::memory_order_relaxed)) return 0; if (M != 2) std::atomic_thread_fence(std::memory_order_acquire); return s.data; }).role("sender", {"send()"}).regression("send() | receive()").run(); }
#elif K == 17 // a work-stealing deque of four places, Chase and Lev
struct S { std::atomic<int> top{0}, bottom{0}; std::atomic<int> items[4]{};
    void push(int v) { int b = bottom.load(std::memory_order_relaxed); items[b % 4].store(v, std::memory_order_relaxed); std::atomic_thread_fence(std::memory_order_release); bottom.store(b + 1, std::memory_order_relaxed); }
    optional<int> pop() { int b = bottom.load(std::memory_order_relaxed) - 1; bottom.store(b, std::memory_order_relaxed); if (M != 1) std::atomic_thread_fence(std::memory_order_seq_cst);
        int t = top.load(std::memory_order_relaxed); if (t > b) { bottom.store(b + 1, std::memory_order_relaxed); return {}; } int v = items[b % 4].load(std::memory_order_relaxed); if (t < b) return v;
        bool won = M == 2 || top.compare_exchange_strong(t, t + 1, std::memory_order_seq_cst, std::memory_order_relaxed); bottom.store(b + 1, std::memory_order_relaxed); return won ? optional<int>(v) : optional<int>(); }
    optional<int> steal() { for (;;) { int t = top.load(std::memory_order_acquire); if (M != 3) std::atomic_thread_fence(std::memory_order_seq_cst); int b = bottom.load(std::memory_order_acquire); if (t >= b) return {};
        int v = items[t % 4].load(std::memory_order_relaxed); if (top.compare_exchange_strong(t, t + 1, std::memory_order_seq_cst, std::memory_order_relaxed)) return v; } } };
MAIN("Chase-Lev").op("push(1)", [](S &s) { s.push(1); }).op("pop()", [](S &s) { return s.pop(); }).op("steal()", [](S &s) { return s.steal(); }).role("worker", {"push(1)", "pop()"}).shared_role("stealer", {"steal()"}).run(); }
#elif K == 18 // a record that is copied
struct S { std::mutex m; char record[64] = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"; volatile size_t n = 32; };
MAIN("memcpy").op("write(b)", [](S &s) { char b[64]; memset(b, 'b', s.n); std::unique_lock l(s.m); if (M == 1) l.unlock(); memcpy(s.record, b, s.n); })
    .op("read()", [](S &s) { char b[64] = {}; std::lock_guard l(s.m); memcpy(b, s.record, s.n); return b[0] == b[31] ? b[0] : '?'; }).run(); }
#elif K == 19
struct S { std::mutex m; std::string a = "0123456789012345678901234567890123456789"; };
MAIN("string").op("append()", [](S &s) { std::unique_lock l(s.m); if (M == 1) l.unlock(); s.a += "x"; return s.a.size(); }).op("read()", [](S &s) { std::lock_guard l(s.m); std::string c = s.a; return c; }).run(); }
#elif K == 20
struct S { std::mutex m; std::vector<int> v; };
MAIN("vector").op("push()", [](S &s) { std::unique_lock l(s.m); if (M == 1) l.unlock(); s.v.push_back(1); return s.v.size(); }).run(); }
#elif K == 21
struct S { std::mutex m; std::ostringstream o; };
MAIN("ostringstream").op("print()", [](S &s) { std::unique_lock l(s.m); if (M == 1) l.unlock(); s.o << 1; return s.o.str().size(); }).run(); }
#elif K == 22 // strings of C
struct S { std::mutex m; char name[40] = "x"; };
MAIN("strcpy").op("rename(abc)", [](S &s) { std::unique_lock l(s.m); if (M == 1) l.unlock(); strcpy(s.name, "abc"); }).op("rename(d)", [](S &s) { std::lock_guard l(s.m); strcpy(s.name, "d"); strcat(s.name, "e"); })
    .op("name()", [](S &s) { std::lock_guard l(s.m); return std::string(s.name, strlen(s.name)); }).run(); }
#elif K == 23 // memory that is mapped for each element and unmapped
struct N { N *next; int v; std::atomic<int> a; };
struct S { std::mutex m; N *head = nullptr;
    void push(int v) { N *n = (N *)mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); n->v = v; n->a.store(v, std::memory_order_relaxed); std::unique_lock l(m); if (M == 1) l.unlock(); n->next = head; head = n; }
    optional<int> pop() { N *n; { std::lock_guard l(m); n = head; if (!n) return {}; head = n->next; } int v = n->v + n->a.load(std::memory_order_relaxed); munmap(n, 4096); return v; } };
MAIN("mmap") PUSH_POP
#elif K == 24 // a promise
struct S { std::promise<int> p; std::shared_future<int> f = p.get_future().share(); };
MAIN("promise").op("set()", [](S &s) { s.p.set_value(4); }).op("get()", [](S &s) { return s.f.get(); }).role("setter", {"set()"}).regression("set() | get()").regression("set() | get() | get()").run(); }
#elif K == 25 // one hazard pointer
struct S { std::atomic<int *> p{new int(1)}; std::atomic<int *> hazard{nullptr}; int *retired = nullptr; ~S() { delete p.load(); delete retired; } };
MAIN("hazard pointer").op("read()", [](S &s) { int *p; do { p = s.p.load(); s.hazard.store(p, ORDER(2, seq_cst)); } while (M != 1 && p != s.p.load(ORDER(2, seq_cst))); int v = *p; s.hazard.store(nullptr, std::memory_order_release); return v; })
    .op("write(2)", [](S &s) { int *old = s.p.exchange(new int(2)); if (M == 3 || s.hazard.load() != old) delete old; else { delete s.retired; s.retired = old; } }).role("reader", {"read()"}).role("writer", {"write(2)"})
    .regression("read() | write(2)").run(); }
#elif K == 26 // looks a bounded number of times
struct S { std::atomic<int> up{0}; };
MAIN("bounded look").op("look()", [](S &s) { int seen = 0; for (int i = 0; i < 50 && !seen; i++) seen = s.up.load(); return seen; }).op("raise()", [](S &s) { s.up.store(1); }).run(); }
#elif K == 27 // gives up after some attempts, and says so
struct S { std::atomic<int> lock{0}; int n = 0;
    bool add() { for (int i = 0; i < 6; i++) { int e = 0; if (lock.compare_exchange_strong(e, 1, std::memory_order_acquire)) { n++; lock.store(0, std::memory_order_release); return true; } } return M == 1; } };
MAIN("gives up").op("add()", [](S &s) { return s.add(); }).op("get()", [](S &s) { int e = 0; while (!s.lock.compare_exchange_strong(e, 1, std::memory_order_acquire)) e = 0; int n = s.n; s.lock.store(0, std::memory_order_release); return n; }).may_fail("add()").run(); }
#elif K == 28 // copy on write
struct S { std::shared_ptr<const std::vector<int>> v = std::make_shared<std::vector<int>>(); std::mutex m; };
MAIN("copy on write").op("push()", [](S &s) { std::unique_lock l(s.m); auto c = std::make_shared<std::vector<int>>(*s.v); if (M == 1) { l.unlock(); l.lock(); } c->push_back(1); s.v = c; return c->size(); })
    .op("size()", [](S &s) { std::shared_ptr<const std::vector<int>> v; { std::lock_guard l(s.m); v = s.v; } return v->size(); }).run(); }
#elif K == 29 // the last owner and the last observer go at the same time: libstdc++ looks at both counts with one load
struct S { std::shared_ptr<int> p = std::make_shared<int>(3); std::weak_ptr<int> w = p; };
MAIN("weak_ptr").op("own()", [](S &s) { int v = *s.p; s.p.reset(); return v; }).op("observe()", [](S &s) { auto p = M == 1 ? s.p : s.w.lock(); bool was = !!p; p.reset(); s.w.reset(); return was; })
    .role("owner", {"own()"}).role("observer", {"observe()"}).may_fail("observe()").regression("own() | observe()").run(); }
#endif
