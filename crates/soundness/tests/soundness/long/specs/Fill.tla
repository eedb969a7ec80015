---- MODULE Fill ----
\* Keys that are written one after the other.
EXTENDS Integers, Sequences
CONSTANT Keys
VARIABLES m, pos
Init == m = [k \in Keys |-> 0] /\ pos = [t \in 0..40 |-> 0]
Put(key, value) == m' = [m EXCEPT ![key] = value] /\ UNCHANGED pos
Get(key, result) == m[key] = result /\ UNCHANGED <<m, pos>>
PutAll_Step(thread, keys, value) ==
    /\ pos[thread] < Len(keys)
    /\ m' = [m EXCEPT ![keys[pos[thread] + 1]] = value]
    /\ pos' = [pos EXCEPT ![thread] = @ + 1]
PutAll_Done(thread, keys, value) == pos[thread] = Len(keys) /\ pos' = [pos EXCEPT ![thread] = 0] /\ UNCHANGED m
====
