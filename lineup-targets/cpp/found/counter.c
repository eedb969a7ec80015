/* Part of plain_c.cpp, in C: a lost update. Not C++, because of the name of its parameter and the conversion. */
#include <stdatomic.h>
#include <stdlib.h>
struct counter { atomic_int n; };
struct counter *counter_new(void) { struct counter *new = malloc(sizeof *new); atomic_init(&new->n, 0); return new; }
int counter_add(struct counter *this) { int n = atomic_load(&this->n) + 1; atomic_store(&this->n, n); return n; }
