// Some components of weak_memory_harness.rs in C++. The name of the program says which one it offers.
#include "lineup.hpp"

#include <atomic>
#include <cstring>
#include <optional>
#include <string>

struct Orders {
    std::memory_order store, load;
    bool fences;
    void fence(std::memory_order order) const {
        if (fences) std::atomic_thread_fence(order);
    }
};

struct Entry {
    std::atomic<bool> wants[2] = {};
    bool enter(int me, Orders orders) {
        wants[me].store(true, orders.store);
        orders.fence(std::memory_order_seq_cst);
        return !wants[1 - me].load(orders.load);
    }
};

struct Message {
    std::atomic<int> data{0};
    std::atomic<bool> is_there{false};
    void send(Orders orders) {
        data.store(42, std::memory_order_relaxed);
        orders.fence(std::memory_order_release);
        is_there.store(true, orders.store);
    }
    std::optional<int> receive(Orders orders) {
        bool there = is_there.load(orders.load);
        orders.fence(std::memory_order_acquire);
        if (!there) return std::nullopt;
        return data.load(std::memory_order_relaxed);
    }
};

struct Peterson {
    std::atomic<bool> wants[2] = {};
    std::atomic<int> turn{0};
    std::atomic<int> count{0};
    int increment(int me, Orders orders) {
        int other = 1 - me;
        wants[me].store(true, orders.store);
        turn.store(other, orders.store);
        orders.fence(std::memory_order_seq_cst);
        while (wants[other].load(orders.load) && turn.load(orders.load) == other) {}
        int seen = count.load(std::memory_order_relaxed);
        count.store(seen + 1, std::memory_order_relaxed);
        wants[me].store(false, std::memory_order_release);
        return seen;
    }
};

int main(int, char **arguments) {
    const char *slash = std::strrchr(arguments[0], '/');
    const std::string name = slash ? slash + 1 : arguments[0];
    const std::string variant = name.substr(name.find('_') + 1);
    const auto relaxed = std::memory_order_relaxed, acquire = std::memory_order_acquire,
               release = std::memory_order_release, seq_cst = std::memory_order_seq_cst;
    Orders orders{relaxed, relaxed, variant == "fences"};
    if (variant == "acquire") orders = {relaxed, acquire, false};
    if (variant == "release") orders = {release, relaxed, false};
    if (variant == "both") orders = {release, acquire, false};
    if (variant == "seqcst") orders = {seq_cst, seq_cst, false};
    if (name.rfind("dekker", 0) == 0)
        return lineup::component<Entry>("Dekker's entry")
            .op("first()", [=](Entry &entry) { return entry.enter(0, orders); })
            .op("second()", [=](Entry &entry) { return entry.enter(1, orders); })
            .may_fail("first()")
            .may_fail("second()")
            .run();
    if (name.rfind("message", 0) == 0)
        return lineup::component<Message>("message")
            .op("send()", [=](Message &message) { message.send(orders); })
            .op("receive()", [=](Message &message) { return message.receive(orders); })
            .run();
    if (name.rfind("peterson", 0) == 0)
        return lineup::component<Peterson>("Peterson's lock")
            .op("first()", [=](Peterson &lock) { return lock.increment(0, orders); })
            .op("second()", [=](Peterson &lock) { return lock.increment(1, orders); })
            .run();
    return 2;
}
