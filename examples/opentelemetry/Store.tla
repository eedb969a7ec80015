-------------------------------- MODULE Store --------------------------------
(* A store of numbers, as a client sees it. 0 is "nothing". The actions are called like the spans.                     *)
EXTENDS Integers

VARIABLE store

Keys == {"x", "y"}
Values == 0..3

Init == store = [key \in Keys |-> 0]

put(key, value) == store' = [store EXCEPT ![key] = value]

get(key, ret) == ret = store[key] /\ UNCHANGED store

Next ==
    \/ \E key \in Keys, value \in Values : put(key, value)
    \/ \E key \in Keys, ret \in Values : get(key, ret)

Spec == Init /\ [][Next]_store
=============================================================================
