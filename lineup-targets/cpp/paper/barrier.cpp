// A barrier for two: stuck alone, passed together. Not linearizable, and not meant to be.
#include "lineup.hpp"

#include <condition_variable>
#include <mutex>

struct Barrier {
    std::mutex mutex;
    std::condition_variable full;
    unsigned arrived = 0;

    void wait() {
        std::unique_lock<std::mutex> lock(mutex);
        const unsigned round = arrived++ / 2;
        full.notify_all();
        full.wait(lock, [&] { return arrived / 2 > round; });
    }
};

int main() {
    return lineup::component<Barrier>("barrier, in C++").op("wait()", [](Barrier &barrier) { barrier.wait(); }).run();
}
