// A harness for `omnilink fuzz`: three threads share a ring buffer whose dequeue takes no lock, so two of them may take the
// same element.
//
//   c++ -std=c++17 -O2 -I recorders/cpp examples/fuzz/ring.cpp -o ring -pthread
//   omnilink fuzz --model queue --until-violation --runs 2000 -- ./ring
#include "omnilink.hpp"

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <random>
#include <thread>

class Ring {
 public:
  void enqueue(int value) {
    std::lock_guard<std::mutex> guard(mutex_);
    int tail = tail_.load();
    slots_[tail % SIZE] = value;
    tail_.store(tail + 1);
  }

  std::optional<int> dequeue() {
    int head = head_.load();
    if (head == tail_.load()) return std::nullopt;
    int value = slots_[head % SIZE];
    head_.store(head + 1);  // another thread may have taken the same element meanwhile
    return value;
  }

 private:
  static constexpr int SIZE = 1024;
  std::mutex mutex_;
  std::atomic<int> head_{0}, tail_{0};
  std::atomic<int> slots_[SIZE];
};

static long setting(const char *name, long otherwise) {
  const char *text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtol(text, nullptr, 10);
}

int main() {
  const char *folder = std::getenv("OMNILINK_TRACE");
  if (folder == nullptr) {
    std::fprintf(stderr, "run me with: omnilink fuzz --model queue -- ./ring\n");
    return 2;
  }
  omnilink::Recorder recorder(folder);
  long seed = setting("OMNILINK_SEED", 1);
  int threads = static_cast<int>(setting("OMNILINK_THREADS", 3)), ops = static_cast<int>(setting("OMNILINK_OPS", 200));
  recorder.header("seed", seed);
  Ring ring;
  std::vector<std::thread> running;
  for (int t = 0; t < threads; t++) {
    running.emplace_back([&, t] {
      omnilink::ThreadLog log = recorder.thread(t);
      std::mt19937 random(static_cast<unsigned>(seed) + static_cast<unsigned>(t));
      for (int i = 0; i < ops; i++) {
        int value = t * ops + i + 1;
        if (random() % 2 == 0) {
          log.record("enqueue", {{"value", value}}, [&] { ring.enqueue(value); });
        } else {
          log.record("dequeue", {}, [&] { return ring.dequeue(); });
        }
      }
    });
  }
  for (std::thread &thread : running) thread.join();
  recorder.finish();
}
