// Concurrent C++ libraries as Debian 12 packages them. One component for each value of COMPONENT; each is a row of the survey:
//   omnilink lineup --cpp lineup-targets/cpp/survey.cpp --cxxflag=-DCOMPONENT=boost_queue
#include "lineup.hpp"

#include <memory>
#include <optional>
#include <string>
#include <utility>

#define CONCAT_(a, b) a##b
#define CONCAT(a, b) CONCAT_(a, b)
#define KIND CONCAT(KIND_, COMPONENT)
#define KIND_boost_queue 1
#define KIND_boost_stack 2
#define KIND_boost_spsc 3
#define KIND_atomic_queue 4
#define KIND_atomic_queue2 5
#define KIND_readerwriter 7
#define KIND_readerwriter_circular 8
#define KIND_xenium_michael_scott 9
#define KIND_xenium_ramalhete 10
#define KIND_xenium_vyukov 11
#define KIND_xenium_kirsch 12
#define KIND_xenium_kirsch_bounded 13
#define KIND_xenium_deque 14
#define KIND_xenium_set 15
#define KIND_xenium_hash_map 16
#define KIND_xenium_vyukov_map 17
#define KIND_xenium_seqlock 18
#define KIND_xenium_left_right 19
#define KIND_cuckoo_map 20
#define KIND_tbb_hash_map 21
#define KIND_tbb_priority_queue 22
#define KIND_tbb_vector 23
#define KIND_tbb_unordered_map 24
#define KIND_moodycamel 25
#define KIND_moodycamel_blocking 26
#define KIND_std_shared_ptr 27
#define KIND_std_shared_mutex 28
#define KIND_tbb_rw_mutex 29
#define KIND_tbb_queuing_mutex 30

using std::optional;

// A queue, or a stack: two values pushed, one popped.
template <class T, class Push, class Pop> int container(const char *name, Push push, Pop pop, std::function<std::unique_ptr<T>()> make) {
    return lineup::component<T>(name, std::move(make))
        .op("push(1)", [=](T &one) { return push(one, 1); })
        .op("push(2)", [=](T &one) { return push(one, 2); })
        .op("pop()", [=](T &one) { return pop(one); })
        .run();
}

// The same with one producer and one consumer.
template <class T, class Push, class Pop> int single(const char *name, Push push, Pop pop, std::function<std::unique_ptr<T>()> make) {
    return lineup::component<T>(name, std::move(make))
        .op("push(1)", [=](T &one) { return push(one, 1); })
        .op("push(2)", [=](T &one) { return push(one, 2); })
        .op("pop()", [=](T &one) { return pop(one); })
        .role("producer", {"push(1)", "push(2)"})
        .role("consumer", {"pop()"})
        .run();
}

// A map with the key 1 in it.
template <class T, class Insert, class Find, class Erase> int map(const char *name, Insert insert, Find find, Erase erase) {
    return lineup::component<T>(name)
        .warm([=](T &one) { insert(one, 1, 0); })
        .op("insert(1)", [=](T &one) { return insert(one, 1, 5); })
        .op("insert(2)", [=](T &one) { return insert(one, 2, 6); })
        .op("find(1)", [=](T &one) { return find(one, 1); })
        .op("erase(1)", [=](T &one) { return erase(one, 1); })
        .run();
}

// A counter behind a lock.
template <class Lock, class Add, class Read> int lock(const char *name, Add add, Read read) {
    struct Guarded {
        Lock lock;
        int value = 0;
    };
    return lineup::component<Guarded>(name)
        .op("add()", [=](Guarded &one) { return add(one.lock, one.value); })
        .op("read()", [=](Guarded &one) { return read(one.lock, one.value); })
        .run();
}

#if KIND == 1 || KIND == 2 || KIND == 3
#include <boost/lockfree/queue.hpp>
#include <boost/lockfree/spsc_queue.hpp>
#include <boost/lockfree/stack.hpp>
template <class T> optional<int> popped(T &from) {
    int value;
    return from.pop(value) ? optional<int>(value) : std::nullopt;
}
int main() {
    auto push = [](auto &to, int value) { return to.push(value); };
#if KIND == 1
    using Queue = boost::lockfree::queue<int>;
    return container<Queue>("Boost 1.74 lockfree::queue", push, popped<Queue>, [] { return std::make_unique<Queue>(2); });
#elif KIND == 2
    using Stack = boost::lockfree::stack<int>;
    return container<Stack>("Boost 1.74 lockfree::stack", push, popped<Stack>, [] { return std::make_unique<Stack>(2); });
#else
    using Ring = boost::lockfree::spsc_queue<int>;
    return single<Ring>("Boost 1.74 lockfree::spsc_queue(1)", push, popped<Ring>, [] { return std::make_unique<Ring>(1); });
#endif
}

#elif KIND == 4 || KIND == 5
#include <atomic_queue/atomic_queue.h>
#if KIND == 4
using Queue = atomic_queue::AtomicQueue<int, 2>;
#else
using Queue = atomic_queue::AtomicQueue2<int, 2>;
#endif
int main() {
    auto push = [](Queue &to, int value) { return to.try_push(value); };
    auto pop = [](Queue &from) {
        int value;
        return from.try_pop(value) ? optional<int>(value) : std::nullopt;
    };
    return container<Queue>("atomic_queue 20220518", push, pop, [] { return std::make_unique<Queue>(); });
}

#elif KIND == 7 || KIND == 8
#include <readerwriterqueue/readerwritercircularbuffer.h>
#include <readerwriterqueue/readerwriterqueue.h>
#if KIND == 7
using Queue = moodycamel::ReaderWriterQueue<int>;
#else
using Queue = moodycamel::BlockingReaderWriterCircularBuffer<int>;
#endif
int main() {
    auto push = [](Queue &to, int value) { return to.try_enqueue(value); };
    auto pop = [](Queue &from) {
        int value;
        return from.try_dequeue(value) ? optional<int>(value) : std::nullopt;
    };
    return single<Queue>("readerwriterqueue 1.0.6", push, pop, [] { return std::make_unique<Queue>(1); });
}

#elif KIND >= 9 && KIND <= 19
#include <cassert>
#include <xenium/chase_work_stealing_deque.hpp>
#include <xenium/harris_michael_hash_map.hpp>
#include <xenium/harris_michael_list_based_set.hpp>
#include <xenium/kirsch_bounded_kfifo_queue.hpp>
#include <xenium/kirsch_kfifo_queue.hpp>
#include <xenium/left_right.hpp>
#include <xenium/michael_scott_queue.hpp>
#include <xenium/ramalhete_queue.hpp>
#include <xenium/reclamation/generic_epoch_based.hpp>
#include <xenium/seqlock.hpp>
#include <xenium/vyukov_bounded_queue.hpp>
#include <xenium/vyukov_hash_map.hpp>
using Reclaimer = xenium::policy::reclaimer<xenium::reclamation::epoch_based<>>;
template <class T> optional<int> popped(T &from) {
    int value;
    return from.try_pop(value) ? optional<int>(value) : std::nullopt;
}
template <class T> optional<int> popped_pointer(T &from) {
    std::unique_ptr<int> value;
    return from.try_pop(value) ? optional<int>(*value) : std::nullopt;
}
int main() {
#if KIND == 9
    using Queue = xenium::michael_scott_queue<int, Reclaimer>;
    return container<Queue>("xenium 0.0.2 michael_scott_queue", [](Queue &to, int value) { to.push(value); }, popped<Queue>,
                            [] { return std::make_unique<Queue>(); });
#elif KIND == 10
    using Queue = xenium::ramalhete_queue<std::unique_ptr<int>, Reclaimer, xenium::policy::entries_per_node<2>, xenium::policy::pop_retries<3>>;
    return container<Queue>("xenium 0.0.2 ramalhete_queue", [](Queue &to, int value) { to.push(std::make_unique<int>(value)); },
                            popped_pointer<Queue>, [] { return std::make_unique<Queue>(); });
#elif KIND == 11
    using Queue = xenium::vyukov_bounded_queue<int>;
    return container<Queue>("xenium 0.0.2 vyukov_bounded_queue(2)", [](Queue &to, int value) { return to.try_push(value); }, popped<Queue>,
                            [] { return std::make_unique<Queue>(2); });
#elif KIND == 12
    using Queue = xenium::kirsch_kfifo_queue<std::unique_ptr<int>, Reclaimer>;
    return container<Queue>("xenium 0.0.2 kirsch_kfifo_queue(1)", [](Queue &to, int value) { to.push(std::make_unique<int>(value)); },
                            popped_pointer<Queue>, [] { return std::make_unique<Queue>(1); });
#elif KIND == 13
    using Queue = xenium::kirsch_bounded_kfifo_queue<std::unique_ptr<int>>;
    return container<Queue>("xenium 0.0.2 kirsch_bounded_kfifo_queue(1, 2)",
                            [](Queue &to, int value) { return to.try_push(std::make_unique<int>(value)); }, popped_pointer<Queue>,
                            [] { return std::make_unique<Queue>(1, 2); });
#elif KIND == 14
    using Deque = xenium::chase_work_stealing_deque<int>;
    static int values[] = {0, 1, 2};
    auto shown = [](bool is_there, int *value) { return is_there ? optional<int>(*value) : std::nullopt; };
    return lineup::component<Deque>("xenium 0.0.2 chase_work_stealing_deque")
        .op("push(1)", [](Deque &deque) { return deque.try_push(&values[1]); })
        .op("push(2)", [](Deque &deque) { return deque.try_push(&values[2]); })
        .op("pop()", [=](Deque &deque) { int *value; bool there = deque.try_pop(value); return shown(there, value); })
        .op("steal()", [=](Deque &deque) { int *value; bool there = deque.try_steal(value); return shown(there, value); })
        .role("worker", {"push(1)", "push(2)", "pop()"})
        .shared_role("stealer", {"steal()"})
        .may_fail("steal()")
        .run();
#elif KIND == 15
    using Set = xenium::harris_michael_list_based_set<int, Reclaimer>;
    return lineup::component<Set>("xenium 0.0.2 harris_michael_list_based_set")
        .op("emplace(1)", [](Set &set) { return set.emplace(1); })
        .op("contains(1)", [](Set &set) { return set.contains(1); })
        .op("erase(1)", [](Set &set) { return set.erase(1); })
        .run();
#elif KIND == 16
    using Map = xenium::harris_michael_hash_map<int, int, Reclaimer, xenium::policy::buckets<4>>;
    return map<Map>("xenium 0.0.2 harris_michael_hash_map", [](Map &map, int key, int value) { return map.emplace(key, value); },
                    [](Map &map, int key) { auto found = map.find(key); return found == map.end() ? optional<int>() : optional<int>(found->second); },
                    [](Map &map, int key) { return map.erase(key); });
#elif KIND == 17
    using Map = xenium::vyukov_hash_map<int, int, Reclaimer>;
    return map<Map>("xenium 0.0.2 vyukov_hash_map", [](Map &map, int key, int value) { return map.emplace(key, value); },
                    [](Map &map, int key) { Map::accessor found; return map.try_get_value(key, found) ? optional<int>(*found) : optional<int>(); },
                    [](Map &map, int key) { return map.erase(key); });
#elif KIND == 18
    struct Plain { int a, b, c, d; };
    using Cell = xenium::seqlock<Plain>;
    return lineup::component<Cell>("xenium 0.0.2 seqlock", [] { return std::make_unique<Cell>(Plain{0, 0, 0, 0}); })
        .op("store(1)", [](Cell &cell) { cell.store(Plain{1, 1, 1, 1}); })
        .op("store(2)", [](Cell &cell) { cell.store(Plain{2, 2, 2, 2}); })
        .op("load()", [](Cell &cell) { Plain value = cell.load(); return value.a * 1000 + value.b * 100 + value.c * 10 + value.d; })
        .run();
#else
    using Cell = xenium::left_right<int>;
    return lineup::component<Cell>("xenium 0.0.2 left_right", [] { return std::make_unique<Cell>(0); })
        .op("update(1)", [](Cell &cell) { cell.update([](int &value) { value = 1; }); })
        .op("update(2)", [](Cell &cell) { cell.update([](int &value) { value = 2; }); })
        .op("read()", [](Cell &cell) { return cell.read([](const int &value) { return value; }); })
        .run();
#endif
}

#elif KIND == 20
#include <libcuckoo/cuckoohash_map.hh>
int main() {
    using Map = libcuckoo::cuckoohash_map<int, int>;
    return map<Map>("libcuckoo 0.3.1 cuckoohash_map", [](Map &map, int key, int value) { return map.insert(key, value); },
                    [](Map &map, int key) { int value; return map.find(key, value) ? optional<int>(value) : optional<int>(); },
                    [](Map &map, int key) { return map.erase(key); });
}

#elif KIND >= 21 && KIND <= 24
#include <tbb/concurrent_hash_map.h>
#include <tbb/concurrent_priority_queue.h>
#include <tbb/concurrent_unordered_map.h>
#include <tbb/concurrent_vector.h>
int main() {
#if KIND == 21
    using Map = tbb::concurrent_hash_map<int, int>;
    return map<Map>("oneTBB 2021.8 concurrent_hash_map", [](Map &map, int key, int value) { return map.insert({key, value}); },
                    [](Map &map, int key) { Map::const_accessor found; return map.find(found, key) ? optional<int>(found->second) : optional<int>(); },
                    [](Map &map, int key) { return map.erase(key); });
#elif KIND == 22
    using Queue = tbb::concurrent_priority_queue<int>;
    return container<Queue>("oneTBB 2021.8 concurrent_priority_queue", [](Queue &to, int value) { to.push(value); },
                            [](Queue &from) { int value; return from.try_pop(value) ? optional<int>(value) : optional<int>(); },
                            [] { return std::make_unique<Queue>(); });
#elif KIND == 23
    using Vector = tbb::concurrent_vector<int>;
    return lineup::component<Vector>("oneTBB 2021.8 concurrent_vector")
        .op("push(1)", [](Vector &one) { return one.push_back(1) - one.begin(); })
        .op("size()", [](Vector &one) { return one.size(); })
        .run();
#else
    using Map = tbb::concurrent_unordered_map<int, int>;
    return lineup::component<Map>("oneTBB 2021.8 concurrent_unordered_map")
        .op("insert(1)", [](Map &map) { return map.insert({1, 5}).second; })
        .op("insert(2)", [](Map &map) { return map.insert({2, 6}).second; })
        .op("count(1)", [](Map &map) { return map.count(1); })
        .op("size()", [](Map &map) { return map.size(); })
        .run();
#endif
}

#elif KIND == 25 || KIND == 26
#include <concurrentqueue/blockingconcurrentqueue.h>
#include <concurrentqueue/concurrentqueue.h>
#if KIND == 25
using Queue = moodycamel::ConcurrentQueue<int>;
#else
using Queue = moodycamel::BlockingConcurrentQueue<int>;
#endif
int main() {
    return container<Queue>("moodycamel 1.0.3", [](Queue &to, int value) { return to.enqueue(value); },
                            [](Queue &from) { int value; return from.try_dequeue(value) ? optional<int>(value) : optional<int>(); },
                            [] { return std::make_unique<Queue>(8); });
}

#elif KIND == 27
int main() {
    struct Cell { std::shared_ptr<int> pointer; };
    return lineup::component<Cell>("libstdc++ 12 atomic_load(shared_ptr)")
        .op("store(1)", [](Cell &cell) { std::atomic_store(&cell.pointer, std::make_shared<int>(1)); })
        .op("exchange(2)", [](Cell &cell) { auto old = std::atomic_exchange(&cell.pointer, std::make_shared<int>(2)); return old ? optional<int>(*old) : optional<int>(); })
        .op("load()", [](Cell &cell) { auto now = std::atomic_load(&cell.pointer); return now ? optional<int>(*now) : optional<int>(); })
        .run();
}

#elif KIND == 28
#include <shared_mutex>
int main() {
    return lock<std::shared_mutex>("libstdc++ 12 shared_mutex", [](auto &lock, int &value) { std::unique_lock<std::shared_mutex> held(lock); return ++value; },
                                   [](auto &lock, int &value) { std::shared_lock<std::shared_mutex> held(lock); return value; });
}

#elif KIND == 29 || KIND == 30
#include <tbb/queuing_rw_mutex.h>
#include <tbb/spin_rw_mutex.h>
#if KIND == 29
using Mutex = tbb::spin_rw_mutex;
#else
using Mutex = tbb::queuing_rw_mutex;
#endif
int main() {
    return lock<Mutex>("oneTBB 2021.8 rw_mutex", [](Mutex &lock, int &value) { Mutex::scoped_lock held(lock, true); return ++value; },
                       [](Mutex &lock, int &value) { Mutex::scoped_lock held(lock, false); return value; });
}
#endif
