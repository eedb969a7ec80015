// The component of ../../found/src/bin/leak.rs in C++.
#include "lineup.hpp"
#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

struct Lazy {
    std::atomic<int *> value{nullptr};
    ~Lazy() { delete value.load(); }
    int get(bool frees) {
        if (int *known = value) return *known;
        int *made = new int(7), *known = nullptr;
        if (value.compare_exchange_strong(known, made)) return *made;
        if (frees) delete made;
        return *known;
    }
};

std::mutex lock;
std::vector<std::unique_ptr<int>> cache;
thread_local std::vector<std::unique_ptr<int>> own;

int main() {
    return lineup::component<Lazy>("leak")
        .op("first()", [](Lazy &lazy) { return lazy.get(false); })
        .op("fixed()", [](Lazy &lazy) { return lazy.get(true); })
        .op("cached()", [](Lazy &) {
            std::lock_guard<std::mutex> held(lock);
            cache.push_back(std::make_unique<int>(1));
            own.push_back(std::make_unique<int>(2));
        })
        .run();
}
