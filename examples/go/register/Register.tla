---- MODULE Register ----
EXTENDS Integers

CONSTANT Values
VARIABLE x

Init == x = 0

Put(value) == x' = value
Get(ret) == x = ret /\ UNCHANGED x

Next == \E v \in Values : Put(v) \/ Get(v)
====
