// What C++20 offers to threads, used correctly: no schedule may fail.

#include <atomic>
#include <barrier>
#include <condition_variable>
#include <coroutine>
#include <cstdlib>
#include <deque>
#include <future>
#include <latch>
#include <mutex>
#include <semaphore>
#include <shared_mutex>
#include <thread>
#include <vector>

void check(bool holds) {
  if (!holds) std::abort();
}

void stop_tokens() {
  std::atomic<int> rounds{0};
  std::jthread counting([&](std::stop_token stop) {
    while (!stop.stop_requested()) {
      rounds++;
      std::this_thread::yield();
    }
  });
  while (rounds == 0) std::this_thread::yield();
  counting.request_stop();
  counting.join();
}

void futures() {
  auto one = std::async(std::launch::async, [] { return 1; });
  auto two = std::async(std::launch::async, [] { return 2; });
  check(one.get() + two.get() == 3);
  std::packaged_task<int()> task([] { return 5; });
  auto five = task.get_future();
  std::jthread runs(std::move(task));
  check(five.get() == 5);
}

void latches_and_barriers() {
  std::latch done(3);
  std::barrier phase(3);
  int written[3] = {0, 0, 0};
  std::vector<std::jthread> threads;
  for (int i = 0; i < 3; i++) {
    threads.emplace_back([&, i] {
      written[i] = 1;
      phase.arrive_and_wait();
      check(written[0] + written[1] + written[2] == 3);
      done.count_down();
    });
  }
  done.wait();
}

// One thread acquires: of two, libstdc++ 12 may leave one asleep for ever (docs/bugs-found.md).
void semaphores() {
  std::binary_semaphore sent(0);
  int message = 0;
  std::jthread sends([&] {
    message = 7;
    sent.release();
  });
  sent.acquire();
  check(message == 7);
  check(!sent.try_acquire_for(std::chrono::milliseconds(10)));
}

void conditions_of_any_lock() {
  std::shared_mutex lock;
  std::condition_variable_any changed;
  bool is_ready = false;
  auto wait = [&] {
    std::shared_lock shared(lock);
    changed.wait(shared, [&] { return is_ready; });
  };
  std::jthread one(wait), other(wait);
  {
    std::unique_lock unique(lock);
    is_ready = true;
  }
  changed.notify_all();
}

struct Pool {
  std::mutex lock;
  std::condition_variable changed;
  std::deque<std::coroutine_handle<>> ready;
  bool is_over = false;
  std::vector<std::thread> threads;

  Pool() {
    for (int i = 0; i < 2; i++) threads.emplace_back([this] { run(); });
  }
  ~Pool() {
    {
      std::lock_guard guard(lock);
      is_over = true;
    }
    changed.notify_all();
    for (auto& thread : threads) thread.join();
  }
  void run() {
    for (;;) {
      std::unique_lock guard(lock);
      changed.wait(guard, [&] { return is_over || !ready.empty(); });
      if (ready.empty()) return;
      auto next = ready.front();
      ready.pop_front();
      guard.unlock();
      next.resume();
    }
  }
};

struct OnPool {
  Pool* pool;
  bool await_ready() { return false; }
  void await_suspend(std::coroutine_handle<> here) {
    // Once it is in the queue, another thread may resume the coroutine: then this object is gone.
    Pool* known = pool;
    {
      std::lock_guard guard(known->lock);
      known->ready.push_back(here);
    }
    known->changed.notify_one();
  }
  void await_resume() {}
};

struct Task {
  struct promise_type {
    Task get_return_object() { return {}; }
    std::suspend_never initial_suspend() { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::abort(); }
  };
};

Task work(Pool& pool, std::atomic<int>& sum, std::latch& done) {
  for (int i = 0; i < 3; i++) {
    co_await OnPool{&pool};
    sum++;
  }
  done.count_down();
}

void coroutines() {
  std::atomic<int> sum{0};
  std::latch done(3);
  {
    Pool pool;
    for (int i = 0; i < 3; i++) work(pool, sum, done);
    done.wait();
  }
  check(sum == 9);
}

void waiting_for_values() {
  std::atomic<int> flag{0};
  int message = 0;
  std::jthread sends([&] {
    message = 7;
    flag = 1;
    flag.notify_one();
  });
  flag.wait(0);
  check(message == 7);
}

void once() {
  std::once_flag flag;
  int made = 0;
  static thread_local int own = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 3; i++) {
    threads.emplace_back([&] {
      std::call_once(flag, [&] { made++; });
      check(made == 1 && ++own == 1);
    });
  }
}

int main() {
  stop_tokens();
  futures();
  latches_and_barriers();
  semaphores();
  conditions_of_any_lock();
  coroutines();
  waiting_for_values();
  once();
}
