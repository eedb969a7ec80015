// Offers a component to `omnilink lineup --cpp`: how to make one, and which calls it has.
//
//     #include "lineup.hpp"
//     #include "queue.hpp"
//
//     int main() {
//         return lineup::component<Queue>("queue")
//             .op("push(1)", [](Queue &queue) { queue.push(1); })
//             .op("pop()", [](Queue &queue) { return queue.pop(); })
//             .run();
//     }
//
// Results are compared as `<<` prints them (`true` and `false` for bool, `None` and `Some(…)` for std::optional, `()` for
// void). An exception is a result too. The header is compiled with the component, instrumented, and linked with the
// scheduler's runtime by the `omnilink` command; it needs C++17 and nothing else.
//
// Licence: MIT or Apache-2.0, as the rest of OmniLink.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

// The same structure and functions as in the runtime.
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
void omnilink_unobserve();
void omnilink_observe();
}

namespace lineup {

namespace detail {

template <class R> std::string shown(const R &result) {
    std::ostringstream text;
    text << std::boolalpha << result;
    return text.str();
}

template <class R> std::string shown(const std::optional<R> &result) {
    return result ? "Some(" + shown(*result) + ")" : "None";
}

// Code that is not part of the component.
struct unobserved {
    unobserved() { omnilink_unobserve(); }
    ~unobserved() { omnilink_observe(); }
};

// One line of the description: words separated by tabs, so that control characters in words become spaces.
inline void add_line(std::string &description, const std::string &kind, const std::vector<std::string> &words) {
    if (!description.empty()) description += '\n';
    description += kind;
    for (const std::string &word : words) {
        description += '\t';
        for (char c : word) description += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    }
}

} // namespace detail

// A component under test. Several objects can be one component: make a struct of them.
template <class T> class component {
  public:
    // A component that is made by its default constructor, or by `make`.
    explicit component(const std::string &name, std::function<std::unique_ptr<T>()> make = [] { return std::make_unique<T>(); })
        : name_(name), make_(std::move(make)) {
        detail::add_line(description_, "component", {name});
    }

    // A call with its name, such as `push(1)`.
    template <class F> component &op(const std::string &name, F call) { return add("call", name, std::move(call)); }

    // A call that is made only in a sequence, initially or finally.
    template <class F> component &part(const std::string &name, F call) { return add("part", name, std::move(call)); }

    // Calls that a thread makes one after the other or not at all.
    component &sequence(std::initializer_list<std::string> names) { return line("sequence", names); }

    // Calls made before the threads start.
    component &initially(std::initializer_list<std::string> names) { return line("initial", names); }

    // Calls made after all threads have finished.
    component &finally(std::initializer_list<std::string> names) { return line("final", names); }

    // No call may ever block.
    component &never_blocks() { return line("never-blocks", {}); }

    // This call may fail (an empty optional, false) because other calls overlap it, and then has no effect.
    component &may_fail(const std::string &name) { return line("may-fail", {name}); }

    // Calls that only one thread makes: those of the producer, of the receiving half. A thread has at most one role.
    component &role(const std::string &name, std::initializer_list<std::string> calls) {
        return line_with_name("role", name, calls);
    }

    // Calls of a role that several threads may have at once.
    component &shared_role(const std::string &name, std::initializer_list<std::string> calls) {
        return line_with_name("shared-role", name, calls);
    }

    // What happens to every new component before the first call. It takes no steps of the schedule.
    component &warm(std::function<void(T &)> warm) {
        warm_ = std::move(warm);
        return *this;
    }

    // A matrix that failed once; it is checked before all others.
    component &regression(const std::string &matrix) { return line("regression", {matrix}); }

    // Serves executions to `omnilink lineup`. A program that is started by hand prints how to check it.
    int run() {
        omnilink_harness harness = {};
        harness.context = this;
        harness.make = make_one;
        harness.call = call_one;
        harness.destroy = destroy_one;
        harness.ops = static_cast<std::uint32_t>(calls_.size());
        harness.description = reinterpret_cast<const unsigned char *>(description_.data());
        harness.description_len = description_.size();
        switch (omnilink_serve(&harness)) {
        case 0:
            std::printf("%s: offers %zu calls to Line-Up; check it with `omnilink lineup --cpp`\n", name_.c_str(), calls_.size());
            return 0;
        case 1: return 0;
        default:
            std::fprintf(stderr, "%s: lineup.hpp and the omnilink command are of different versions\n", name_.c_str());
            return 2;
        }
    }

  private:
    struct instance {
        std::unique_ptr<T> value;
        component *description;
    };

    template <class F> component &add(const char *kind, const std::string &name, F call) {
        calls_.push_back([call = std::move(call)](T &value) -> std::string {
            if constexpr (std::is_void_v<std::invoke_result_t<const F &, T &>>) {
                call(value);
                return "()";
            } else {
                const auto result = call(value);
                detail::unobserved section;
                return detail::shown(result);
            }
        });
        return line(kind, {name});
    }

    component &line(const char *kind, std::initializer_list<std::string> words) {
        detail::add_line(description_, kind, words);
        return *this;
    }

    component &line_with_name(const char *kind, const std::string &name, std::initializer_list<std::string> words) {
        std::vector<std::string> all{name};
        all.insert(all.end(), words);
        detail::add_line(description_, kind, all);
        return *this;
    }

    static void *make_one(void *context) {
        auto *self = static_cast<component *>(context);
        auto value = self->make_();
        if (self->warm_) {
            detail::unobserved section;
            self->warm_(*value);
        }
        return new instance{std::move(value), self};
    }

    static void call_one(void *made, std::uint32_t, std::uint32_t op) {
        auto *one = static_cast<instance *>(made);
        std::string result;
        try {
            result = one->description->calls_.at(op)(*one->value);
        } catch (const std::exception &error) {
            result = std::string("threw ") + error.what();
        } catch (...) {
            result = "threw something";
        }
        omnilink_return(reinterpret_cast<const unsigned char *>(result.data()), result.size());
    }

    static void destroy_one(void *made) { delete static_cast<instance *>(made); }

    std::string name_;
    std::function<std::unique_ptr<T>()> make_;
    std::function<void(T &)> warm_;
    std::vector<std::function<std::string(T &)>> calls_;
    std::string description_;
};

} // namespace lineup
