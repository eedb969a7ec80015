// omnilink.hpp: records the operations of a concurrent C++ program as a trace for `omnilink check` and `omnilink validate`.
//
//   omnilink::Recorder recorder("traces/run-1");
//   std::thread worker([&] {
//     omnilink::ThreadLog log = recorder.thread(0);                          // one log per thread
//     log.record("enqueue", {{"value", 3}}, [&] { return queue.enqueue(3); });
//     auto call = log.call("dequeue", {});                                   // or step by step
//     std::optional<int> value = queue.dequeue();
//     call.end(value);
//   });
//   worker.join();
//   recorder.finish();                                                       // throws if recording stopped early
//
// Then: omnilink check traces/run-1 --model queue
//
// Header-only, C++17, GCC or Clang, POSIX; needs omnilink.h beside it, nothing else; link with -pthread. What it decides and
// gives up is written at the top of omnilink.h.
//
// License: MIT OR Apache-2.0.
#ifndef OMNILINK_HPP
#define OMNILINK_HPP

#include "omnilink.h"

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

namespace omnilink {

/// Why a recording could not be made, or ended early.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A TLA+ model value.
struct ModelValue {
  std::string_view name;
  friend bool operator==(ModelValue a, ModelValue b) { return a.name == b.name; }
  friend bool operator<(ModelValue a, ModelValue b) { return a.name < b.name; }
};

/// Where one value is written. For a type of your own define, in its namespace,
///   void omnilink_write(omnilink::Slot slot, const Point &point) {
///     slot.record({{"x", point.x}, {"y", point.y}});   // or slot.write(point.x)
///   }
class Slot;

/// A named value: an argument of a call, a field of a record.
class Field;

class Slot {
 public:
  explicit Slot(omnilink_log *log) : log_(log) {}

  /// A value of any type that can be recorded.
  template <typename T>
  void write(const T &value);
  /// A record with these fields.
  void record(std::initializer_list<Field> fields);
  /// An array of `count` values, each written by `each`, which gets a slot and an index.
  template <typename Each>
  void array(std::size_t count, Each each) {
    omnilink_array(log_, count);
    for (std::size_t i = 0; i < count; i++) each(Slot(log_), i);
  }

  omnilink_log *log() const { return log_; }

 private:
  omnilink_log *log_;
};

namespace detail {

template <typename T, typename = void>
struct HasCustom : std::false_type {};
template <typename T>
struct HasCustom<T, std::void_t<decltype(omnilink_write(std::declval<Slot>(), std::declval<const T &>()))>> : std::true_type {};

template <typename T>
inline constexpr bool always_false = false;

template <typename T>
struct IsOptional : std::false_type {};
template <typename T>
struct IsOptional<std::optional<T>> : std::true_type {};

template <typename T>
struct IsTuple : std::false_type {};
template <typename... T>
struct IsTuple<std::tuple<T...>> : std::true_type {};
template <typename A, typename B>
struct IsTuple<std::pair<A, B>> : std::true_type {};

template <typename T>
struct IsVariant : std::false_type {};
template <typename... T>
struct IsVariant<std::variant<T...>> : std::true_type {};

template <typename T>
struct IsSet : std::false_type {};
template <typename... T>
struct IsSet<std::set<T...>> : std::true_type {};
template <typename... T>
struct IsSet<std::unordered_set<T...>> : std::true_type {};

template <typename T>
struct IsMap : std::false_type {};
template <typename... T>
struct IsMap<std::map<T...>> : std::true_type {};
template <typename... T>
struct IsMap<std::unordered_map<T...>> : std::true_type {};

template <typename T, typename = void>
struct IsRange : std::false_type {};
template <typename T>
struct IsRange<T, std::void_t<decltype(std::begin(std::declval<const T &>())), decltype(std::end(std::declval<const T &>()))>>
    : std::true_type {};

}  // namespace detail

template <typename T>
void Slot::write(const T &value) {
  if constexpr (detail::HasCustom<T>::value) {
    omnilink_write(*this, value);
  } else if constexpr (std::is_same_v<T, bool>) {
    omnilink_bool(log_, value);
  } else if constexpr (std::is_enum_v<T>) {
    write(static_cast<std::underlying_type_t<T>>(value));
  } else if constexpr (std::is_integral_v<T> && std::is_signed_v<T>) {
    omnilink_int(log_, value);
  } else if constexpr (std::is_integral_v<T>) {
    omnilink_uint(log_, value);
  } else if constexpr (std::is_same_v<T, std::nullptr_t> || std::is_same_v<T, std::nullopt_t> ||
                       std::is_same_v<T, std::monostate>) {
    omnilink_null(log_);
  } else if constexpr (std::is_same_v<T, const char *> || std::is_same_v<T, char *>) {
    omnilink_str(log_, value);
  } else if constexpr (std::is_convertible_v<const T &, std::string_view>) {
    std::string_view text = value;
    omnilink_text(log_, text.data(), text.size());
  } else if constexpr (std::is_same_v<T, ModelValue>) {
    omnilink_record(log_, 1);
    omnilink_key(log_, "$model");
    omnilink_text(log_, value.name.data(), value.name.size());
  } else if constexpr (detail::IsOptional<T>::value) {
    if (value.has_value()) {
      write(*value);
    } else {
      omnilink_null(log_);
    }
  } else if constexpr (detail::IsVariant<T>::value) {
    std::visit([this](const auto &alternative) { write(alternative); }, value);
  } else if constexpr (detail::IsTuple<T>::value) {
    omnilink_array(log_, std::tuple_size_v<T>);
    std::apply([this](const auto &...items) { (write(items), ...); }, value);
  } else if constexpr (detail::IsSet<T>::value) {
    omnilink_set(log_, value.size());
    for (const auto &item : value) write(item);
  } else if constexpr (detail::IsMap<T>::value) {
    if constexpr (std::is_convertible_v<const typename T::key_type &, std::string_view>) {
      // A key with a dollar would be read as a set, a function or a model value.
      bool is_record = true;
      for (const auto &entry : value) is_record = is_record && std::string_view(entry.first).substr(0, 1) != "$";
      if (is_record) {
        omnilink_record(log_, value.size());
        for (const auto &[key, item] : value) {
          write(key);
          write(item);
        }
        return;
      }
    }
    omnilink_function(log_, value.size());
    for (const auto &entry : value) write(entry);
  } else if constexpr (detail::IsRange<T>::value) {
    omnilink_array(log_, static_cast<std::size_t>(std::distance(std::begin(value), std::end(value))));
    for (const auto &item : value) write(item);
  } else {
    static_assert(detail::always_false<T>,
                  "omnilink: a value of this type cannot be recorded (TLA+ has no floating point); define "
                  "void omnilink_write(omnilink::Slot, const T &) in its namespace");
  }
}

class Field {
 public:
  template <typename T>
  Field(const char *name, const T &value)
      : name_(name), value_(&value), write_([](Slot slot, const void *erased) { slot.write(*static_cast<const T *>(erased)); }) {}
  // A string literal is an array: kept as the pointer that it decays to.
  Field(const char *name, const char *value)
      : name_(name), value_(value), write_([](Slot slot, const void *erased) { slot.write(static_cast<const char *>(erased)); }) {}

  const char *name() const { return name_; }
  void write(Slot slot) const { write_(slot, value_); }

 private:
  const char *name_;
  const void *value_;  // lives until the end of the full expression that makes the field
  void (*write_)(Slot, const void *);
};

inline void Slot::record(std::initializer_list<Field> fields) {
  omnilink_record(log_, fields.size());
  for (const Field &field : fields) {
    omnilink_key(log_, field.name());
    field.write(*this);
  }
}

using Args = std::initializer_list<Field>;

/// A call that is under way. Destroyed without an end (an exception, a reply that never came) it stays *pending*: it may or may
/// not have taken effect.
class [[nodiscard]] Call {
 public:
  Call(Call &&other) noexcept : log_(std::exchange(other.log_, nullptr)) {}
  Call &operator=(Call &&) = delete;
  ~Call() = default;

  /// The operation returned nothing.
  void end() { finish([](omnilink_log *) {}); }
  /// The operation returned `result`.
  template <typename T>
  void end(const T &result) {
    finish([&](omnilink_log *log) { put(log, omnilink_ret, result); });
  }
  /// The operation returned `result`; `meta` is kept with it and ignored by checks.
  template <typename T>
  void end(const T &result, Args meta) {
    finish([&](omnilink_log *log) {
      put(log, omnilink_ret, result);
      put_meta(log, meta);
    });
  }
  /// The system said that the operation failed: it has not taken effect and never will.
  void abort() {
    if (omnilink_log *log = std::exchange(log_, nullptr)) omnilink_abort(log);
  }
  /// Forgets the call: the harness picks another operation. Only where it had no effect.
  void cancel() {
    if (omnilink_log *log = std::exchange(log_, nullptr)) omnilink_cancel(log);
  }
  /// Moves the start of the timebox to now: the operation has had no effect yet, such as after waiting for a lock.
  void tighten_start() {
    if (log_ != nullptr) omnilink_tighten_start(log_);
  }
  /// Ends the timebox now: the operation has had all of its effect, such as before releasing a lock. `end` still has to follow.
  void tighten_end() {
    if (log_ != nullptr) omnilink_tighten_end(log_);
  }

 private:
  friend class ThreadLog;
  explicit Call(omnilink_log *log) : log_(log) {}

  template <typename Write>
  void finish(Write write) {
    omnilink_log *log = std::exchange(log_, nullptr);
    if (log == nullptr) return;
    omnilink_returned(log);
    if (log->is_open && log->is_prepared) write(log);
    omnilink_end(log);
  }
  template <typename T>
  static void put(omnilink_log *log, void (*field)(omnilink_log *), const T &value) {
    field(log);
    Slot(log).write(value);
  }
  static void put_meta(omnilink_log *log, Args meta) {
    omnilink_meta(log);
    Slot(log).record(meta);
  }

  omnilink_log *log_;
};

/// One thread's part of the recording: moved to its thread, never shared. Its file is complete when it is destroyed.
class ThreadLog {
 public:
  ThreadLog(ThreadLog &&other) noexcept : log_(std::exchange(other.log_, nullptr)) {}
  ThreadLog &operator=(ThreadLog &&other) noexcept {
    std::swap(log_, other.log_);
    return *this;
  }
  ~ThreadLog() {
    if (log_ != nullptr) omnilink_close(log_);
  }

  /// Starts a call: its arguments are recorded, and then its timebox starts. What the operation does comes after this.
  Call call(const char *op, Args args = {}) { return call(op, args.begin(), args.size()); }
  /// The same with `count` arguments of an array.
  Call call(const char *op, const Field *args, std::size_t count) {
    omnilink_call(log_, op);
    if (log_->is_prepared) {
      for (std::size_t i = 0; i < count; i++) {
        omnilink_arg(log_, args[i].name());
        args[i].write(Slot(log_));
      }
    }
    omnilink_begin(log_);
    return Call(log_);
  }

  /// Records one call: runs `operation` and returns what it returns. If it throws, the call stays pending.
  template <typename Operation>
  auto record(const char *op, Args args, Operation &&operation) {
    Call open = call(op, args);
    if constexpr (std::is_void_v<decltype(operation())>) {
      operation();
      open.end();
    } else {
      auto result = operation();
      open.end(result);
      return result;
    }
  }

 private:
  friend class Recorder;
  explicit ThreadLog(omnilink_log *log) : log_(log) {}

  omnilink_log *log_;
};

/// Makes a trace of what the threads of a program do: one file per thread in a folder.
class Recorder {
 public:
  /// The folder is created, or must be empty.
  explicit Recorder(const std::string &folder, omnilink_options options = {}) {
    char message[512] = "";
    recorder_ = omnilink_create(folder.c_str(), &options, message, sizeof message);
    if (recorder_ == nullptr) throw Error(message);
  }
  Recorder(const Recorder &) = delete;
  Recorder &operator=(const Recorder &) = delete;
  ~Recorder() {
    if (recorder_ != nullptr) omnilink_finish(recorder_, nullptr, 0);
  }

  /// A field of your own in the header of every file, such as a seed. Before the first thread.
  Recorder &header(const char *name, const std::string &value) {
    if (!omnilink_header_str(recorder_, name, value.c_str())) throw Error("header fields come before the first thread");
    return *this;
  }
  Recorder &header(const char *name, std::int64_t value) {
    if (!omnilink_header_int(recorder_, name, value)) throw Error("header fields come before the first thread");
    return *this;
  }

  /// A log for the thread with this number or name; they must differ.
  template <typename Number, std::enable_if_t<std::is_integral_v<Number>, int> = 0>
  ThreadLog thread(Number number) {
    return made(omnilink_thread(recorder_, static_cast<std::int64_t>(number)));
  }
  ThreadLog thread(const char *name) { return made(omnilink_thread_named(recorder_, name)); }

  /// Whether recording has stopped before the program did.
  bool stopped() const { return omnilink_stopped(recorder_); }

  /// Ends the recording, after all logs were destroyed. Throws if recording stopped early.
  void finish() {
    char message[768] = "";
    int failed = omnilink_finish(recorder_, message, sizeof message);
    if (failed != 2) recorder_ = nullptr;
    if (failed != 0) throw Error(message);
  }

 private:
  ThreadLog made(omnilink_log *log) {
    if (log == nullptr)
      throw Error("no log: the thread's label is taken, empty, longer than 64 bytes, no UTF-8, or contains ', or the recorder belongs to another process");
    return ThreadLog(log);
  }

  omnilink_recorder *recorder_;
};

}  // namespace omnilink

#endif
