// A blocking queue whose push wakes a waiter only if the queue was empty.
#include "lineup.hpp"

#include <condition_variable>
#include <deque>
#include <mutex>

struct Queue {
    std::mutex mutex;
    std::condition_variable filled;
    std::deque<int> elements;

    void push(int value) {
        std::lock_guard<std::mutex> lock(mutex);
        elements.push_back(value);
        if (elements.size() == 1) filled.notify_one();
    }

    int pop() {
        std::unique_lock<std::mutex> lock(mutex);
        filled.wait(lock, [this] { return !elements.empty(); });
        int value = elements.front();
        elements.pop_front();
        return value;
    }
};

int main() {
    return lineup::component<Queue>("condition variable that loses a wake-up, in C++")
        .op("push(1)", [](Queue &queue) { queue.push(1); })
        .op("pop()", [](Queue &queue) { return queue.pop(); })
        .run();
}
