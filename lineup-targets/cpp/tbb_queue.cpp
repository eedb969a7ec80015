// oneTBB concurrent_queue (header only but for its memory).
//
//     omnilink lineup --cpp lineup-targets/cpp/tbb_queue.cpp --cxxflag=-ltbb
#include "lineup.hpp"

#include <oneapi/tbb/concurrent_queue.h>

#include <optional>

using Queue = oneapi::tbb::concurrent_queue<int>;

int main() {
    return lineup::component<Queue>("oneTBB concurrent_queue")
        .op("push(1)", [](Queue &queue) { queue.push(1); })
        .op("push(2)", [](Queue &queue) { queue.push(2); })
        .op("try_pop()",
            [](Queue &queue) {
                int value;
                return queue.try_pop(value) ? std::optional<int>(value) : std::nullopt;
            })
        .run();
}
