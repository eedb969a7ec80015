// The conformance program in C++: conformance PART FOLDER. What each part does: README.md.
#include "omnilink.hpp"

#include <sys/wait.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <functional>
#include <thread>

using omnilink::Recorder;
using omnilink::ThreadLog;

struct Sample {
  int x;
  std::vector<std::string> names;
};

static void omnilink_write(omnilink::Slot slot, const Sample &sample) { slot.record({{"x", sample.x}, {"names", sample.names}}); }

/// Lists in lists.
struct Nested {
  int depth;
};

static void omnilink_write(omnilink::Slot slot, const Nested &nested) {
  slot.array(nested.depth > 0 ? 1 : 0, [&](omnilink::Slot inner, std::size_t) { inner.write(Nested{nested.depth - 1}); });
}

static void calls(Recorder &recorder) {
  ThreadLog one = recorder.thread(1);
  ThreadLog named = recorder.thread("main");
  one.record("write", {{"value", 1}}, [] {});
  one.record("read", {}, [] { return 1; });
  one.record("cas", {{"from", 1}, {"to", 2}}, [] { return true; });
  one.call("refused").abort();
  one.call("another", {{"value", 1}}).cancel();
  one.call("noted", {{"value", 2}}).end(3, {{"node", 4}});
  auto narrow = one.call("narrow");
  narrow.tighten_end();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  narrow.end();
  { auto lost = one.call("lost"); }
  one.record("after", {}, [] {});
  named.call("hello").end(nullptr);
}

template <typename T>
static void echo(ThreadLog &log, const char *name, const T &value) {
  log.call(name, {{"value", value}}).end(value);
}

static void values(Recorder &recorder) {
  ThreadLog log = recorder.thread(0);
  echo(log, "null", std::optional<int>());
  echo(log, "true", true);
  echo(log, "false", false);
  echo(log, "zero", 0);
  echo(log, "negative", -1);
  echo(log, "exact", (std::int64_t{1} << 53) + 1);
  echo(log, "least", INT64_MIN);
  echo(log, "greatest", INT64_MAX);
  echo(log, "unsigned", UINT64_MAX);
  echo(log, "empty text", std::string());
  echo(log, "text", std::string("a \xc3\xa9 \xf0\x9f\x98\x80 \n \x01 \" \\"));
  echo(log, "list", std::make_pair(1, std::make_pair(2, std::vector<int>())));
  echo(log, "bytes", std::vector<unsigned char>{0, 127, 255});
  echo(log, "record", Sample{1, {"n"}});
  echo(log, "function", std::map<int, std::string>{{1, "one"}});
  echo(log, "dollar", std::map<std::string, int>{{"$set", 7}});
  echo(log, "set", std::set<int>{1, 2});
  echo(log, "empty set", std::set<int>());
  echo(log, "empty list", std::vector<int>());
  echo(log, "model", omnilink::ModelValue{"n1"});
  echo(log, "deep", Nested{25});
}

static void texts(Recorder &recorder) {
  using namespace std::string_literals;
  ThreadLog log = recorder.thread(0);
  const std::pair<const char *, std::string> all[] = {
      {"byte", "a\xff""b"s},           {"other byte", "a\xfe""b"s},       {"cut off", "\xf0\x9f\x98"s},
      {"surrogate", "\xed\xa0\x80"s}, {"looks like one", "a\\ud800b"s}, {"looks like a byte", "\\xff"s},
      {"path", "C:\\users\\xyz"s},     {"nul", "a\0b"s},
  };
  for (const auto &[name, text] : all)
    log.call(name, {{"value", std::map<std::string, std::string>{{text, text}}}}).end(text);
}

static void threads(Recorder &recorder, int count, int rounds) {
  std::atomic<long> counter{0};
  std::vector<std::thread> all;
  for (int number = 0; number < count; number++)
    all.emplace_back([&, number] {
      ThreadLog log = recorder.thread(number);
      for (int round = 0; round < rounds; round++) log.record("next", {}, [&] { return counter.fetch_add(1); });
    });
  for (std::thread &one : all) one.join();
  std::printf("DONE %ld\n", counter.load());
}

static void die(Recorder &recorder) {
  ThreadLog log = recorder.thread(0);
  for (int i = 0; i < 1000; i++) log.record("op", {{"i", i}}, [i] { return i; });
  auto open = log.call("op", {{"i", 1000}});
  std::puts("open");
  std::fflush(stdout);
  std::this_thread::sleep_for(std::chrono::minutes(10));
}

static void race(Recorder &recorder) {
  std::vector<std::thread> all;
  for (int number = 0; number < 2; number++)
    all.emplace_back([&, number] {
      ThreadLog log = recorder.thread(number);
      for (int i = 0;; i++) {
        log.record("op", {{"i", i}}, [i] { return i; });
        if (i % 64 != 63) continue;
        char line[32];
        int length = std::snprintf(line, sizeof line, "%d %d\n", number, i);
        if (write(1, line, static_cast<std::size_t>(length)) < 0) return;
      }
    });
  for (std::thread &one : all) one.join();
}

static void tried(const char *name, const std::function<void()> &mistake) {
  try {
    mistake();
    std::printf("%s: nothing\n", name);
  } catch (const omnilink::Error &error) {
    std::printf("%s: %s\n", name, error.what());
  }
}

static void forked(Recorder &recorder) {
  ThreadLog log = recorder.thread(0);
  log.record("a", {}, [] {});
  std::fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    log.record("of the child", {}, [] {});
    tried("child", [&] { recorder.thread(1); });
    std::fflush(stdout);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  std::printf("child: ended with %d\n", status);
  log.record("b", {}, [] {});
}

static void misuse(Recorder &recorder, const std::string &folder) {
  {
    ThreadLog log = recorder.thread(0);
    tried("header", [&] { recorder.header("late", 1); });
    tried("label taken", [&] { recorder.thread("0"); });
    tried("label form", [&] { recorder.thread("0'1"); });
    tried("folder", [&] { Recorder other(folder); });
    tried("open", [&] { recorder.finish(); });
    // Arrays and objects nested deeper than the recorder keeps track of.
    log.call("h").end(Nested{60});
  }
  tried("result", [&] { recorder.finish(); });
}

static void cost(Recorder &recorder) {
  ThreadLog log = recorder.thread(0);
  for (int batch = 0; batch < 5; batch++) {
    std::clock_t start = std::clock();
    for (int at = 0; at < 100000; at++) log.record("write", {{"value", 3}}, [] {});
    std::printf("COST %.0f\n", static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC * 1e9 / 100000);
  }
}

int main(int count, char **arguments) {
  if (count != 3) return 2;
  std::string part = arguments[1];
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    Recorder recorder(arguments[2]);
    recorder.header("seed", 42);
    if (part == "misuse") {
      misuse(recorder, arguments[2]);
      return 0;
    }
    if (part == "calls") {
      calls(recorder);
    } else if (part == "texts") {
      texts(recorder);
    } else if (part == "values") {
      values(recorder);
    } else if (part == "threads") {
      threads(recorder, 100, 50);
    } else if (part == "full") {
      threads(recorder, 4, 25000);
    } else if (part == "die") {
      die(recorder);
    } else if (part == "race") {
      race(recorder);
    } else if (part == "fork") {
      forked(recorder);
    } else {
      cost(recorder);
    }
    recorder.finish();
  } catch (const omnilink::Error &error) {
    std::printf("ERROR %s\n", error.what());
    return 3;
  }
  return 0;
}
