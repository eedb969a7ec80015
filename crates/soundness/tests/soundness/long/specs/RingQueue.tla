---- MODULE RingQueue ----
\* The bounded queue as a ring: a function, a start and a length.
EXTENDS Integers
VARIABLES slot, first, many
vars == <<slot, first, many>>
Init == slot = [i \in 0..2 |-> 0] /\ first = 0 /\ many = 0
Put(value, ok) ==
    \/ many < 3 /\ ok /\ slot' = [slot EXCEPT ![(first + many) % 3] = value] /\ many' = many + 1 /\ UNCHANGED first
    \/ many = 3 /\ ~ok /\ UNCHANGED vars
Take(result) ==
    \/ many = 0 /\ result = 0 /\ UNCHANGED vars
    \/ many > 0 /\ result = slot[first] /\ first' = (first + 1) % 3 /\ many' = many - 1 /\ UNCHANGED slot
Size(result) == many = result /\ UNCHANGED vars
====
