// A manual-reset event. One word holds "is set" and the number of waiters; `wait` reads it once to compute the new word
// and once more to compare with. A `set` between the two readings is overwritten, and no thread is left to wake the waiter.
#include "lineup.hpp"

#include <atomic>
#include <condition_variable>
#include <mutex>

struct Event {
    static constexpr unsigned set_bit = 1;
    static constexpr unsigned waiter = 2;

    std::atomic<unsigned> word{0};
    std::mutex mutex;
    std::condition_variable woken;
    unsigned wakes = 0;

    void set() {
        if (word.exchange(set_bit) >= waiter) {
            std::lock_guard<std::mutex> lock(mutex);
            wakes += 1;
            woken.notify_all();
        }
    }

    void reset() { word.fetch_and(~set_bit); }

    void wait() {
        std::unique_lock<std::mutex> lock(mutex);
        const unsigned before = wakes;
        lock.unlock();
        while (true) {
            const unsigned seen = word.load();
            if (seen & set_bit) return;
            const unsigned registered = seen + waiter;
            unsigned expected = word.load();
            if (word.compare_exchange_strong(expected, registered)) break;
        }
        lock.lock();
        woken.wait(lock, [&] { return wakes != before; });
    }
};

int main() {
    return lineup::component<Event>("manual-reset event, in C++")
        .op("wait()", [](Event &event) { event.wait(); })
        .op("set()", [](Event &event) { event.set(); })
        .op("reset()", [](Event &event) { event.reset(); })
        .run();
}
