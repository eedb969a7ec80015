// Has another layout where it sees that it is instrumented, as libraries have that then disagree with their prebuilt parts.
#include "lineup.hpp"
#include <atomic>
#if defined(__SANITIZE_THREAD__)
#define SEEN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SEEN 1
#endif
#endif
#ifdef SEEN
#error "the component sees that it is instrumented"
#endif
struct S { std::atomic<int> n{0}; };
int main() { return lineup::component<S>("layout").op("add()", [](S &s) { return s.n.fetch_add(1); }).run(); }
