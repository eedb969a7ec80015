// oneTBB concurrent_bounded_queue: what waits for room or elements is compiled in libtbb, and seen by its locks and futexes only.
//
//     omnilink lineup --cpp lineup-targets/cpp/tbb_bounded_queue.cpp --cxxflag=-ltbb
#include "lineup.hpp"

#include <oneapi/tbb/concurrent_queue.h>

#include <memory>
#include <optional>

using Queue = oneapi::tbb::concurrent_bounded_queue<int>;

int main() {
    auto of_two = [] {
        auto queue = std::make_unique<Queue>();
        queue->set_capacity(2);
        return queue;
    };
    return lineup::component<Queue>("oneTBB concurrent_bounded_queue", of_two)
        .op("try_push(1)", [](Queue &queue) { return queue.try_push(1); })
        .op("try_push(2)", [](Queue &queue) { return queue.try_push(2); })
        .op("try_pop()",
            [](Queue &queue) {
                int value;
                return queue.try_pop(value) ? std::optional<int>(value) : std::nullopt;
            })
        .run();
}
