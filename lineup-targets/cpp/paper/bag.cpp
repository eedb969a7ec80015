// A bag that lets the clock decide which element it gives away: no deterministic specification explains it.
#include "lineup.hpp"

#include <chrono>
#include <mutex>
#include <optional>
#include <vector>

struct Bag {
    std::mutex mutex;
    std::vector<int> elements;

    void add(int value) {
        std::lock_guard<std::mutex> lock(mutex);
        elements.push_back(value);
    }

    std::optional<int> take() {
        std::lock_guard<std::mutex> lock(mutex);
        if (elements.empty()) return std::nullopt;
        const auto now = std::chrono::steady_clock::now().time_since_epoch();
        const auto second = std::chrono::duration_cast<std::chrono::seconds>(now).count();
        const auto taken = elements.begin() + second % static_cast<long>(elements.size());
        const int value = *taken;
        elements.erase(taken);
        return value;
    }
};

int main() {
    return lineup::component<Bag>("bag, in C++")
        .op("add(1)", [](Bag &bag) { bag.add(1); })
        .op("add(2)", [](Bag &bag) { bag.add(2); })
        .op("take()", [](Bag &bag) { return bag.take(); })
        .run();
}
