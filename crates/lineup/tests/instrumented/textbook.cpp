// The components of textbook_harness.rs that have a counterpart in C++. The name of the program says which one it offers.
#include "lineup.hpp"

#include <atomic>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <shared_mutex>

struct Semaphore {
    std::atomic<int> count{0};
    std::mutex lock;
    std::condition_variable more;

    void up(bool is_careful) {
        std::unique_lock<std::mutex> held(lock, std::defer_lock);
        if (is_careful) held.lock();
        count++;
        more.notify_one();
    }
    void down() {
        std::unique_lock<std::mutex> held(lock);
        for (;;) {
            int seen = count.load();
            if (seen == 0) more.wait(held);
            else if (count.compare_exchange_strong(seen, seen - 1)) return;
        }
    }
};

struct Gate {
    bool is_open = false;
    std::mutex lock;
    std::condition_variable opened;

    void pass() {
        std::unique_lock<std::mutex> held(lock);
        opened.wait(held, [this] { return is_open; });
    }
    void open(bool for_all) {
        {
            std::lock_guard<std::mutex> held(lock);
            is_open = true;
        }
        if (for_all) opened.notify_all();
        else opened.notify_one();
    }
};

struct Lazy {
    std::atomic<bool> is_made{false};
    std::mutex lock;
    std::atomic<int> value{0}, draws{0};

    int get(bool looks_again) {
        if (!is_made) {
            std::lock_guard<std::mutex> held(lock);
            if (!looks_again || !is_made) {
                value = ++draws;
                is_made = true;
            }
        }
        return value;
    }
};

struct Locks {
    std::shared_mutex a, b;
    int in_a = 1, in_b = 2;

    void there() {
        std::shared_lock<std::shared_mutex> reading(a);
        std::unique_lock<std::shared_mutex> writing(b);
        in_b += in_a;
    }
    void back() {
        std::shared_lock<std::shared_mutex> reading(b);
        std::unique_lock<std::shared_mutex> writing(a);
        in_a += in_b;
    }
};

struct Upgrade {
    std::shared_mutex lock;
    int value = 0;

    int inc(bool is_careful) {
        if (is_careful) {
            std::unique_lock<std::shared_mutex> writing(lock);
            return ++value;
        }
        int seen;
        {
            std::shared_lock<std::shared_mutex> reading(lock);
            seen = value;
        }
        std::unique_lock<std::shared_mutex> writing(lock);
        value = seen + 1;
        return seen;
    }
};

int main(int, char **arguments) {
    const char *slash = std::strrchr(arguments[0], '/');
    const std::string name = slash ? slash + 1 : arguments[0];
    const bool is_right = name.find("_right") != std::string::npos;
    if (name.rfind("semaphore", 0) == 0)
        return lineup::component<Semaphore>("semaphore")
            .op("up()", [=](Semaphore &semaphore) { semaphore.up(is_right); })
            .op("down()", [](Semaphore &semaphore) { semaphore.down(); })
            .run();
    if (name.rfind("gate", 0) == 0)
        return lineup::component<Gate>("gate")
            .op("open()", [=](Gate &gate) { gate.open(is_right); })
            .op("pass()", [](Gate &gate) { gate.pass(); })
            .run();
    if (name.rfind("lazy", 0) == 0)
        return lineup::component<Lazy>("lazy").op("get()", [=](Lazy &lazy) { return lazy.get(is_right); }).run();
    if (name.rfind("locks", 0) == 0)
        return lineup::component<Locks>("two locks")
            .op("there()", [](Locks &locks) { locks.there(); })
            .op("back()", [](Locks &locks) { locks.back(); })
            .run();
    if (name.rfind("upgrade", 0) == 0)
        return lineup::component<Upgrade>("upgrade").op("inc()", [=](Upgrade &one) { return one.inc(is_right); }).run();
    return 2;
}
