// A component whose code is C, compiled as C: counter.c.
#include "lineup.hpp"
extern "C" { struct counter; counter *counter_new(void); int counter_add(counter *); }
struct S { counter *c = counter_new(); };
int main() { return lineup::component<S>("counter in C").op("add()", [](S &s) { return counter_add(s.c); }).run(); }
