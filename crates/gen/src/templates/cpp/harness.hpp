// harness.hpp: what every generated harness does: threads, seeds, weights, the choice of operations, recording.
// Written by `omnilink gen harness`, and rewritten by it: what is yours is in system.hpp.
#ifndef OMNILINK_HARNESS_HPP
#define OMNILINK_HARNESS_HPP

#include "omnilink.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <sstream>
#include <thread>

extern char **environ;

namespace omnilink {

/// Random numbers that are the same on every machine: the seed of a run decides them.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ull);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
  }
  /// From `low` to `high`, both included.
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(next() % (static_cast<std::uint64_t>(high - low) + 1));
  }
  bool chance(double probability) { return static_cast<double>(next() >> 11) * 0x1.0p-53 < probability; }
  template <typename T>
  T one_of(std::initializer_list<T> items) {
    return *(items.begin() + next() % items.size());
  }
  template <typename T>
  const T &one_of(const std::vector<T> &items) {
    return items[next() % items.size()];
  }

 private:
  std::uint64_t state_;
};

/// What the environment says about a run. `omnilink fuzz` sets it; by hand: OMNILINK_THREADS=8 ./harness
struct Settings {
  std::string trace;            // OMNILINK_TRACE: the folder for the trace
  std::uint64_t seed = 1;       // OMNILINK_INPUT_SEED if it is given, else OMNILINK_SEED, which also decides the schedule
  int threads = 3;              // OMNILINK_THREADS
  std::int64_t ops = 100;       // OMNILINK_OPS: operations of each thread
  double seconds = 0;           // OMNILINK_SECONDS: if given, threads go on for so long, and OMNILINK_OPS is no limit unless given
  std::int64_t values = 12;     // OMNILINK_VALUES: from how many values arguments are chosen
  bool limits_values = false;   // whether it is given: then it also holds where the spec says which values there are
  int objects = 1;              // OMNILINK_OBJECTS: how many systems are exercised side by side, each with a trace of its own
  std::string weights;          // OMNILINK_WEIGHTS: Enqueue=3,Dequeue=1; how often each operation is chosen, 0 for never

  static Settings of_environment() {
    Settings settings;
    settings.seed = static_cast<std::uint64_t>(number("OMNILINK_INPUT_SEED", number("OMNILINK_SEED", 1, 0, INT64_MAX), 0, INT64_MAX));
    settings.threads = static_cast<int>(number("OMNILINK_THREADS", 3, 1, 1024));
    settings.values = number("OMNILINK_VALUES", 12, 1, 1000000000);
    settings.limits_values = std::getenv("OMNILINK_VALUES") != nullptr;
    settings.objects = static_cast<int>(number("OMNILINK_OBJECTS", 1, 1, 1024));
    const char *seconds = std::getenv("OMNILINK_SECONDS");
    if (seconds != nullptr) {
      char *end = nullptr;
      settings.seconds = std::strtod(seconds, &end);
      if (end == seconds || *end != 0 || !(settings.seconds > 0)) refuse("OMNILINK_SECONDS", seconds, "a number of seconds");
      settings.ops = INT64_MAX;
    }
    settings.ops = number("OMNILINK_OPS", settings.ops == INT64_MAX ? INT64_MAX : 100, 1, INT64_MAX);
    if (const char *weights = std::getenv("OMNILINK_WEIGHTS")) settings.weights = weights;
    const char *trace = std::getenv("OMNILINK_TRACE");
    settings.trace = trace != nullptr ? trace : "trace-" + std::to_string(static_cast<long>(getpid()));
    return settings;
  }

  [[noreturn]] static void refuse(const char *name, const char *text, const char *wanted) {
    std::fprintf(stderr, "%s=%s: give %s\n", name, text, wanted);
    std::exit(2);
  }

 private:
  static std::int64_t number(const char *name, std::int64_t otherwise, std::int64_t low, std::int64_t high) {
    const char *text = std::getenv(name);
    if (text == nullptr) return otherwise;
    char *end = nullptr;
    errno = 0;
    long long value = std::strtoll(text, &end, 10);
    if (end == text || *end != 0 || errno != 0 || value < low || value > high) {
      std::string wanted = "a whole number from " + std::to_string(low) + " to " + std::to_string(high);
      refuse(name, text, wanted.c_str());
    }
    return value;
  }
};

inline const Settings &settings() {
  static const Settings settings = Settings::of_environment();
  return settings;
}

/// An integer of a range; of its first ones if OMNILINK_VALUES says how many.
inline std::int64_t value_between(Random &random, std::int64_t low, std::int64_t high) {
  const Settings &given = settings();
  return random.between(low, given.limits_values && high - low >= given.values ? low + given.values - 1 : high);
}

/// A number that no other call of this run gets: for values that must differ.
inline std::int64_t unique() {
  static std::atomic<std::int64_t> next{1};
  return next.fetch_add(1, std::memory_order_relaxed);
}

/// One operation that is to be made: what a function of system.hpp gets.
class Op {
 public:
  /// The timebox starts. Prepare everything before, and call the system after it.
  Call begin() {
    begun_ = true;
    return log_->call(name_, fields_, count_);
  }
  /// The same with other arguments than those that were drawn.
  Call begin(Args arguments) {
    begun_ = true;
    return log_->call(name_, arguments);
  }
  /// Nothing was done, because the operation makes no sense now: another one is picked.
  void pick_another() { skipped_ = true; }
  /// The system has no such operation: it is never picked again, and named at the end.
  void unsupported() { unsupported_ = true; }
  /// For choices of your own.
  Random &random() { return *random_; }
  /// The number of the thread.
  int thread() const { return thread_; }

  // What follows is for actions.hpp and main.cpp.
  Op(ThreadLog *log, Random *random, int thread) : log_(log), random_(random), thread_(thread) {}
  void prepare(const char *name, const Field *fields, std::size_t count) {
    name_ = name;
    fields_ = fields;
    count_ = count;
  }
  enum class Outcome { Done, Skipped, Unsupported, Forgotten };
  Outcome outcome() const {
    if (begun_) return Outcome::Done;
    if (unsupported_) return Outcome::Unsupported;
    return skipped_ ? Outcome::Skipped : Outcome::Forgotten;
  }

 private:
  ThreadLog *log_;
  Random *random_;
  int thread_;
  const char *name_ = "";
  const Field *fields_ = nullptr;
  std::size_t count_ = 0;
  bool begun_ = false, skipped_ = false, unsupported_ = false;
};

/// An operation of the specification: what actions.hpp lists.
template <typename System, typename Client>
struct Action {
  const char *name;
  const char *at;  // where the specification defines it
  double weight;
  void (*run)(System &, Client &, Op &);
};

/// Runs the operations from several threads, and records them.
template <typename System, typename Client>
class Harness {
 public:
  using Actions = std::vector<Action<System, Client>>;

  explicit Harness(Actions actions) : actions_(std::move(actions)), is_supported_(actions_.size()) {
    for (auto &flag : is_supported_) flag = true;
  }

  int run() {
    try {
      set_weights();
      start();
    } catch (const std::exception &error) {
      std::fprintf(stderr, "%s\n", error.what());
      return 2;
    }
    bool any = false;
    for (std::size_t i = 0; i < actions_.size(); i++) {
      if (is_supported_[i]) {
        any = true;
      } else {
        std::fprintf(stderr, "unsupported: %s (%s)\n", actions_[i].name, actions_[i].at);
      }
    }
#if defined(__linux__)
    if (omnilink_is_scheduled_()) std::printf("omnilink: %llu steps\n", static_cast<unsigned long long>(omnilink_step()));
#endif
    if (!any) std::fprintf(stderr, "no operation is bound yet: write the calls into system.hpp\n");
    return failed_.load() ? 2 : 0;
  }

 private:
  struct Object {
    std::unique_ptr<Recorder> recorder;
    std::unique_ptr<System> system;
  };

  /// OMNILINK_WEIGHTS=Enqueue=3,Dequeue=1
  void set_weights() {
    std::stringstream list(settings().weights);
    for (std::string item; std::getline(list, item, ',');) {
      std::size_t equals = item.find('=');
      char *end = nullptr;
      double weight = equals == std::string::npos ? -1 : std::strtod(item.c_str() + equals + 1, &end);
      if (equals == std::string::npos || *end != 0 || !(weight >= 0)) {
        throw Error("OMNILINK_WEIGHTS: \"" + item + "\" is no weight; write Name=2,Other=0.5");
      }
      std::string name = item.substr(0, equals);
      bool found = false;
      for (auto &action : actions_) {
        if (name == action.name) {
          action.weight = weight;
          found = true;
        }
      }
      if (!found) throw Error("OMNILINK_WEIGHTS: there is no operation \"" + name + "\"");
    }
  }

  void start() {
    const Settings &given = settings();
    std::vector<Object> objects;
    for (int i = 0; i < given.objects; i++) {
      std::string folder = given.trace;
      if (given.objects > 1) {
        mkdir(folder.c_str(), 0777);  // the recorder says what is wrong if this fails
        folder += "/object-" + std::to_string(i);
      }
      auto recorder = std::make_unique<Recorder>(folder);
      describe(*recorder);
      objects.push_back({std::move(recorder), std::make_unique<System>()});
    }
    std::vector<std::thread> running;
    for (int t = 0; t < given.threads; t++) running.emplace_back([&, t] { guarded(objects, t); });
    for (std::thread &thread : running) thread.join();
    for (Object &object : objects) {
      object.system.reset();
      object.recorder->finish();
    }
  }

  /// Every choice of the run goes into the header: what the environment says, and what it leaves open.
  static void describe(Recorder &recorder) {
    const Settings &given = settings();
    recorder.header("seed", static_cast<std::int64_t>(given.seed)).header("threads", given.threads).header("values", given.values);
    if (given.ops != INT64_MAX) recorder.header("ops", given.ops);
    for (char **entry = environ; *entry != nullptr; entry++) {
      const char *equals = std::strchr(*entry, '=');
      if (std::strncmp(*entry, "OMNILINK_", 9) != 0 || equals == nullptr || std::strncmp(*entry, "OMNILINK_TRACE=", 15) == 0) continue;
      std::string name(*entry, static_cast<std::size_t>(equals - *entry));
      recorder.header(name.c_str(), std::string(equals + 1));
    }
  }

  void guarded(std::vector<Object> &objects, int thread) {
    try {
      work(objects, thread);
    } catch (const std::exception &error) {
      failed_ = true;
      std::fprintf(stderr, "thread %d: %s\n", thread, error.what());
    }
  }

  /// All threads start together: otherwise the first would be done before the last is there.
  void wait_for_all() {
    std::unique_lock<std::mutex> lock(mutex_);
    if (++arrived_ == settings().threads) {
      all_arrived_.notify_all();
    } else {
      all_arrived_.wait(lock, [&] { return arrived_ >= settings().threads; });
    }
  }

  void work(std::vector<Object> &objects, int thread) {
    const Settings &given = settings();
    Random random(given.seed * 0x100000001b3ull + static_cast<std::uint64_t>(thread));
    std::vector<ThreadLog> logs;
    std::vector<std::unique_ptr<Client>> clients;
    try {
      for (Object &object : objects) {
        logs.push_back(object.recorder->thread(thread));
        clients.push_back(std::make_unique<Client>(*object.system, thread));
      }
    } catch (...) {
      wait_for_all();
      throw;
    }
    wait_for_all();
    auto started = std::chrono::steady_clock::now();
    int skipped = 0;
    for (std::int64_t done = 0; done < given.ops && !failed_;) {
      if (given.seconds > 0 && std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count() >= given.seconds) break;
      std::size_t chosen = choose(random);
      if (chosen == actions_.size()) return;
      std::size_t object = objects.size() == 1 ? 0 : random.next() % objects.size();
      Op op(&logs[object], &random, thread);
      actions_[chosen].run(*objects[object].system, *clients[object], op);
      switch (op.outcome()) {
        case Op::Outcome::Done:
          done++;
          skipped = 0;
          break;
        case Op::Outcome::Unsupported:
          is_supported_[chosen] = false;
          break;
        case Op::Outcome::Skipped:
          if (++skipped == 10000) throw Error("10000 times in a row another operation was to be picked; nothing can be done");
          break;
        case Op::Outcome::Forgotten:
          throw Error(std::string(actions_[chosen].name) + " returned without op.begin(), op.pick_another() or op.unsupported()");
      }
    }
  }

  /// An operation by weight; the number of operations if there is none.
  std::size_t choose(Random &random) {
    double total = 0;
    for (std::size_t i = 0; i < actions_.size(); i++) {
      if (is_supported_[i]) total += actions_[i].weight;
    }
    if (!(total > 0)) return actions_.size();
    double point = static_cast<double>(random.next() >> 11) * 0x1.0p-53 * total;
    std::size_t last = actions_.size();
    for (std::size_t i = 0; i < actions_.size(); i++) {
      if (!is_supported_[i] || !(actions_[i].weight > 0)) continue;
      last = i;
      if ((point -= actions_[i].weight) < 0) return i;
    }
    return last;
  }

  Actions actions_;
  std::vector<std::atomic<bool>> is_supported_;
  std::atomic<bool> failed_{false};
  std::mutex mutex_;
  std::condition_variable all_arrived_;
  int arrived_ = 0;
};

}  // namespace omnilink

#endif
