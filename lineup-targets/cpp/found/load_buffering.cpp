// a relaxed load before a relaxed store in each of two calls: C++20 allows both loads to read what the other call stores later
#include "lineup.hpp"
#include <atomic>
struct Two { std::atomic<int> x{0}, y{0}; };
int main() {
    return lineup::component<Two>("two relaxed variables")
        .op("from_x()", [](Two &two) { int seen = two.x.load(std::memory_order_relaxed); two.y.store(1, std::memory_order_relaxed); return seen < 2; })
        .op("from_y()", [](Two &two) { int seen = two.y.load(std::memory_order_relaxed); two.x.store(1, std::memory_order_relaxed); return seen < 2; })
        .run();
}
