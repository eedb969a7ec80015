---- MODULE Nested ----
(* Macros in macros, with `with` in them, names that the arguments share with what the macros bind, and `self`. *)
EXTENDS Integers, FiniteSets, TLC
(* --algorithm Nested {
  variables pool = {1, 2, 3}, owner = [i \in 1..3 |-> "none"], log = [who |-> "none", what |-> {}];
  macro grab(n, target) { pool := pool \ {n}; target[n] := self; }
  macro mark(m) { log.who := self || log.what := log.what \cup {m} }
  macro pick(target) { with (item \in pool, other = IF item > 1 THEN item - 1 ELSE item) { grab(item, target); mark(other) } }
  process (worker \in {"a", "b"})
    variable mine = 0;
  {
    one: if (pool # {}) pick(owner);
    two: mine := Cardinality({i \in 1..3 : owner[i] = self});
         assert mine <= 3;
  }
} *)
====
