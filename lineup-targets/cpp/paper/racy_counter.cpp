// A counter without a lock.
#include "lineup.hpp"

#include <atomic>

struct Counter {
    std::atomic<int> count{0};
};

int main() {
    return lineup::component<Counter>("counter without a lock, in C++")
        .op("inc()", [](Counter &counter) { counter.count.store(counter.count.load() + 1); })
        .op("get()", [](Counter &counter) { return counter.count.load(); })
        .run();
}
