// A bag whose `try_take` waits for the lock for a millisecond only, and then says that there is nothing to take.
#include "lineup.hpp"

#include <chrono>
#include <mutex>
#include <optional>
#include <vector>

struct Bag {
    std::timed_mutex mutex;
    std::vector<int> elements;

    void add(int value) {
        std::lock_guard<std::timed_mutex> lock(mutex);
        elements.push_back(value);
    }

    std::optional<int> try_take() {
        std::unique_lock<std::timed_mutex> lock(mutex, std::chrono::milliseconds(1));
        if (!lock.owns_lock() || elements.empty()) return std::nullopt;
        int value = elements.back();
        elements.pop_back();
        return value;
    }
};

int main() {
    return lineup::component<Bag>("try_take that times out, in C++")
        .op("add(1)", [](Bag &bag) { bag.add(1); })
        .op("try_take()", [](Bag &bag) { return bag.try_take(); })
        .run();
}
