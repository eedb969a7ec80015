// A counter whose `get` does not release the lock: the next call waits for ever, in serial runs too.
#include "lineup.hpp"

#include <mutex>

struct Counter {
    std::mutex mutex;
    int count = 0;

    void inc() {
        std::lock_guard<std::mutex> lock(mutex);
        count += 1;
    }

    int get() {
        mutex.lock();
        return count;
    }
};

int main() {
    return lineup::component<Counter>("get that keeps the lock, in C++")
        .op("inc()", [](Counter &counter) { counter.inc(); })
        .op("get()", [](Counter &counter) { return counter.get(); })
        .never_blocks()
        .run();
}
