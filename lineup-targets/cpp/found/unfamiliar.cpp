// Textbook components in C++, each as it should be and, with -DWRONG, with an error. The command was not tuned to any of them.
//   omnilink lineup --cpp lineup-targets/cpp/found/unfamiliar.cpp --cxxflag=-DCASE=1 --cxxflag=-DWRONG
#include "lineup.hpp"
#include <array>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#ifdef WRONG
constexpr bool wrong = true;
#else
constexpr bool wrong = false;
#endif

#if CASE == 1
// A queue lock with one node for each thread. Wrong: a waiter says that it waits after it is in the queue.
class ClhLock {
    struct Node {
        std::atomic<bool> is_held{false};
    };
    std::atomic<Node *> tail{new Node};

  public:
    ~ClhLock() { delete tail.load(); }
    template <class Work> auto with(Work work) {
        Node *mine = new Node;
        if (!wrong) mine->is_held.store(true, std::memory_order_relaxed);
        Node *before = tail.exchange(mine, std::memory_order_acq_rel);
        if (wrong) mine->is_held.store(true, std::memory_order_relaxed);
        while (before->is_held.load(std::memory_order_acquire)) std::this_thread::yield();
        delete before;
        auto result = work();
        mine->is_held.store(false, std::memory_order_release);
        return result;
    }
};
struct Counter {
    ClhLock lock;
    long value = 0;
};
int main() {
    return lineup::component<Counter>("CLH lock")
        .op("add()", [](Counter &one) { return one.lock.with([&] { return ++one.value; }); })
        .op("read()", [](Counter &one) { return one.lock.with([&] { return one.value; }); })
        .run();
}

#elif CASE == 2
// Readers and a writer that count each other. Wrong: a writer looks for readers before it locks them out.
class ReadersWriter {
    std::atomic<int> readers{0};
    std::atomic<bool> writer{false};
    std::array<long, 2> pair{};

  public:
    long read() {
        for (;;) {
            readers.fetch_add(1);
            if (!writer.load()) break;
            readers.fetch_sub(1);
            while (writer.load()) std::this_thread::yield();
        }
        long result = 10 * pair[0] + pair[1];
        readers.fetch_sub(1);
        return result;
    }
    void write(long value) {
        if (wrong)
            while (readers.load() != 0) std::this_thread::yield();
        bool expected = false;
        while (!writer.compare_exchange_strong(expected, true)) expected = false;
        if (!wrong)
            while (readers.load() != 0) std::this_thread::yield();
        pair = {value, value};
        writer.store(false);
    }
};
int main() {
    return lineup::component<ReadersWriter>("readers and a writer")
        .op("write(1)", [](ReadersWriter &one) { one.write(1); })
        .op("write(2)", [](ReadersWriter &one) { one.write(2); })
        .op("read()", [](ReadersWriter &one) { return one.read(); })
        .run();
}

#elif CASE == 3
// A queue that blocks at both ends. Wrong: one condition variable for both, and one thread is woken.
class BoundedQueue {
    std::mutex lock;
    std::condition_variable not_empty, not_full;
    std::deque<int> items;

  public:
    void put(int item) {
        std::unique_lock held(lock);
        auto &room = wrong ? not_empty : not_full;
        room.wait(held, [&] { return items.size() < 1; });
        items.push_back(item);
        not_empty.notify_one();
    }
    int take() {
        std::unique_lock held(lock);
        not_empty.wait(held, [&] { return !items.empty(); });
        int item = items.front();
        items.pop_front();
        (wrong ? not_empty : not_full).notify_one();
        return item;
    }
};
int main() {
    return lineup::component<BoundedQueue>("bounded queue")
        .op("put(1)", [](BoundedQueue &queue) { queue.put(1); })
        .op("take()", [](BoundedQueue &queue) { return queue.take(); })
        .run();
}

#elif CASE == 4
// A shared pointer of our own. Wrong: the count is decreased in two steps.
class Shared {
    struct Block {
        std::atomic<int> owners{1};
        int value;
    };
    Block *block = new Block{.value = 7};

  public:
    Shared() = default;
    Shared(const Shared &other) : block(other.block) { block->owners.fetch_add(1, std::memory_order_relaxed); }
    Shared &operator=(const Shared &) = delete;
    ~Shared() {
        int before;
        if (wrong) {
            before = block->owners.load();
            block->owners.store(before - 1);
        } else {
            before = block->owners.fetch_sub(1, std::memory_order_acq_rel);
        }
        if (before == 1) delete block;
    }
    int get() const { return block->value; }
};
int main() {
    return lineup::component<Shared>("shared pointer")
        .op("copy()", [](Shared &one) { return Shared(one).get(); })
        .run();
}

#else
// A value that is made once. Wrong: it is published before it is complete.
class Once {
    struct Value {
        int first, second;
    };
    std::atomic<Value *> value{nullptr};
    std::mutex lock;

  public:
    ~Once() { delete value.load(); }
    int get() {
        Value *seen = value.load(std::memory_order_acquire);
        if (!seen) {
            std::lock_guard held(lock);
            seen = value.load(std::memory_order_relaxed);
            if (!seen) {
                seen = new Value{0, 0};
                if (wrong) value.store(seen, std::memory_order_release);
                seen->first = 1;
                seen->second = 2;
                if (!wrong) value.store(seen, std::memory_order_release);
            }
        }
        return 10 * seen->first + seen->second;
    }
};
int main() {
    return lineup::component<Once>("made once").op("get()", [](Once &once) { return once.get(); }).run();
}
#endif
