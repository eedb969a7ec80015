-------------------------------- MODULE Store --------------------------------
(* A store of keys as a sequential object: Put tells what it wrote over, Size how many keys there are. 0 is "nothing".  *)
EXTENDS Integers, FiniteSets

VARIABLE store

Keys == {"x", "y"}
Values == 0..3

Init == store = [key \in Keys |-> 0]

Put(key, new, result) ==
    /\ result = store[key]
    /\ store' = [store EXCEPT ![key] = new]

Get(key, result) == result = store[key] /\ UNCHANGED store

Size(result) == result = Cardinality({key \in Keys : store[key] # 0}) /\ UNCHANGED store

Next ==
    \/ \E key \in Keys, new, result \in Values : Put(key, new, result)
    \/ \E key \in Keys, result \in Values : Get(key, result)
    \/ \E result \in 0..2 : Size(result)

Spec == Init /\ [][Next]_store
=============================================================================
