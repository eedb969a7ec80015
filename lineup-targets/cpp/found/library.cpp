// A component that calls a library without instrumentation: once to add, twice to read. The library is library_part.c.
#include "lineup.hpp"
#include <mutex>

extern "C" int library_add(int *to);
extern "C" int library_read(const int *from);

struct Counter {
    std::mutex lock;
    int value = 0;
};

int main() {
    return lineup::component<Counter>("library")
        .op("add()", [](Counter &counter) {
            std::lock_guard<std::mutex> held(counter.lock);
            return library_add(&counter.value);
        })
        .op("get()", [](Counter &counter) {
            std::lock_guard<std::mutex> held(counter.lock);
            return library_read(&counter.value) + 0 * library_read(&counter.value);
        })
        .run();
}
