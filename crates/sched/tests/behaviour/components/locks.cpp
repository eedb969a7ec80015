// A bounded buffer of one item with std::mutex and std::condition_variable, as C++ code uses them.
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

extern "C" {
struct omnilink_harness {
    void *context;
    void *(*make)(void *context);
    void (*call)(void *component, std::uint32_t thread, std::uint32_t op);
    void (*destroy)(void *component);
    std::uint32_t ops;
    const unsigned char *description;
    std::size_t description_len;
};
int omnilink_serve(const omnilink_harness *harness);
void omnilink_return(const unsigned char *result, std::size_t length);
}

struct Buffer {
    std::mutex mutex;
    std::condition_variable changed;
    int items = 0;

    std::string put(bool tells) {
        std::unique_lock lock(mutex);
        changed.wait(lock, [&] { return items == 0; });
        items = 1;
        if (tells) changed.notify_all();
        return "";
    }
    std::string take() {
        std::unique_lock lock(mutex);
        changed.wait(lock, [&] { return items == 1; });
        items = 0;
        changed.notify_all();
        return "1";
    }
    std::string take_in_time() {
        std::unique_lock lock(mutex);
        bool there = changed.wait_for(lock, std::chrono::hours(1), [&] { return items == 1; });
        if (there) items = 0;
        return there ? "1" : "late";
    }
    std::string helper() {
        int seen = 0;
        std::thread thread([&] {
            std::lock_guard lock(mutex);
            seen = ++items;
        });
        thread.join();
        return std::to_string(seen);
    }
};

static void call(void *component, std::uint32_t, std::uint32_t op) {
    Buffer &buffer = *static_cast<Buffer *>(component);
    std::string result = op == 0   ? buffer.put(true)
                         : op == 1 ? buffer.take()
                         : op == 2 ? buffer.put(false)
                         : op == 3 ? buffer.take_in_time()
                                   : buffer.helper();
    omnilink_return(reinterpret_cast<const unsigned char *>(result.data()), result.size());
}

int main() {
    omnilink_harness harness{};
    harness.make = [](void *) -> void * { return new Buffer; };
    harness.call = call;
    harness.destroy = [](void *component) { delete static_cast<Buffer *>(component); };
    harness.ops = 5;
    return omnilink_serve(&harness) == 1 ? 0 : 1;
}
