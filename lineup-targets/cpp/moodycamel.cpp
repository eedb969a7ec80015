// moodycamel::ConcurrentQueue 1.0.3: empty although it is not (by design, it says: its producers are not ordered).
//
//     omnilink lineup --cpp lineup-targets/cpp/moodycamel.cpp --cxxflag=-I/usr/include/concurrentqueue
#include "lineup.hpp"

#include <concurrentqueue.h>

#include <mutex>
#include <optional>

// A token is for one thread at a time, so producers take turns; consumers do as they like.
struct Queue {
    moodycamel::ConcurrentQueue<int> queue;
    moodycamel::ProducerToken token{queue};
    std::mutex producers;

    bool enqueue(int value) {
        std::lock_guard<std::mutex> turn(producers);
        return queue.enqueue(token, value);
    }
};

int main() {
    return lineup::component<Queue>("moodycamel 1.0.3 ConcurrentQueue")
        .op("enqueue(1)", [](Queue &it) { return it.enqueue(1); })
        .op("try_dequeue()",
            [](Queue &it) {
                int value;
                return it.queue.try_dequeue(value) ? std::optional<int>(value) : std::nullopt;
            })
        .run();
}
