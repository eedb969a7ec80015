// The program of cpp_recorder.rs: records into the folder argv[1], in the way argv[2] says.
#include "omnilink.hpp"

#include <sys/resource.h>

#include <csignal>
#include <cstdio>
#include <cstring>
#include <thread>

enum class Colour { red = 1, green = 2 };

struct Point {
  int x, y;
};

void omnilink_write(omnilink::Slot slot, const Point &point) { slot.record({{"x", point.x}, {"y", point.y}}); }

static void values(omnilink::Recorder &recorder) {
  recorder.header("seed", 42).header("purpose", "test");
  omnilink::ThreadLog log = recorder.thread("main");
  log.record("numbers", {{"small", -3}, {"large", INT64_MIN}, {"unsigned", UINT64_MAX}, {"flag", true}, {"colour", Colour::green}},
             [] { return 128; });
  log.record("texts", {{"literal", "a"}, {"string", std::string(300, 'x')}, {"none", std::optional<int>()}, {"some", std::optional(5)}},
             [] { return std::string("é"); });
  log.record("collections",
             {{"list", std::vector<int>(20, 7)},
              {"pair", std::make_pair(1, "b")},
              {"set", std::set<int>{3, 1}},
              {"map", std::map<int, bool>{{1, true}}},
              {"record", std::map<std::string, Point>{{"p", Point{1, 2}}}},
              {"nested", std::vector<std::vector<int>>{{}, {1}}},
              {"model", omnilink::ModelValue{"m1"}}},
             [] {});
}

static void calls(omnilink::Recorder &recorder) {
  omnilink::ThreadLog log = recorder.thread(7);
  auto refused = log.call("refused");
  refused.abort();
  auto other = log.call("another_is_picked", {{"value", 1}});
  other.cancel();
  auto noted = log.call("noted", {{"value", 2}});
  noted.end(3, {{"node", 4}});
  try {
    log.record("throws", {}, []() -> int { throw 1; });
  } catch (int) {
  }
  log.record("after", {}, [] {});
  auto narrow = log.call("narrow");
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  narrow.tighten_start();
  narrow.tighten_end();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  narrow.end();
}

static void die(omnilink::Recorder &recorder, const char *how) {
  omnilink::ThreadLog log = recorder.thread(0);
  for (int i = 0; i < 5000; i++) log.record("op", {{"i", i}}, [i] { return i; });
  auto last = log.call("op", {{"i", 5000}});
  if (std::strcmp(how, "abort") == 0) std::abort();
  if (std::strcmp(how, "terminate") == 0) std::terminate();
  if (std::strcmp(how, "fault") == 0) *static_cast<volatile int *>(nullptr) = 1;
  std::raise(SIGKILL);
}

static void run_until_killed(omnilink::Recorder &recorder) {
  std::vector<std::thread> threads;
  for (int label = 0; label < 2; label++) {
    threads.emplace_back([&recorder, label] {
      omnilink::ThreadLog log = recorder.thread(label);
      for (int i = 0;; i++) {
        log.record("op", {{"i", i}}, [i] { return i; });
        if (i % 64 == 63) {
          char line[32];
          int length = std::snprintf(line, sizeof line, "%d %d\n", label, i);
          if (write(1, line, static_cast<std::size_t>(length)) < 0) return;
        }
      }
    });
  }
  for (std::thread &thread : threads) thread.join();
}

// A file may not grow beyond 64 KiB: as a full disk.
static int full(omnilink::Recorder &recorder) {
  struct rlimit limit = {64 << 10, 64 << 10};
  setrlimit(RLIMIT_FSIZE, &limit);
  std::signal(SIGXFSZ, SIG_IGN);
  int done = 0;
  {
    omnilink::ThreadLog log = recorder.thread(0);
    for (int i = 0; i < 5000; i++) log.record("op", {{"i", i}}, [&] { return done++; });
  }
  std::printf("%d operations were done\n", done);
  try {
    recorder.finish();
  } catch (const omnilink::Error &error) {
    std::printf("%s\n", error.what());
    return 0;
  }
  return 1;
}

int main(int, char **argv) {
  const char *part = argv[2];
  try {
    omnilink_options options{};
    options.chunk_bytes = 16 << 10;
    omnilink::Recorder recorder(argv[1], options);
    if (std::strcmp(part, "values") == 0) {
      values(recorder);
    } else if (std::strcmp(part, "calls") == 0) {
      calls(recorder);
    } else if (std::strcmp(part, "run") == 0) {
      run_until_killed(recorder);
    } else if (std::strcmp(part, "full") == 0) {
      return full(recorder);
    } else {
      die(recorder, part);
    }
    recorder.finish();
  } catch (const omnilink::Error &error) {
    std::printf("%s\n", error.what());
    return 2;
  }
}
