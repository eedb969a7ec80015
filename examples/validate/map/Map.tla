-------------------------------- MODULE Map --------------------------------
(* An ordered map whose updates return what was there before, and which     *)
(* counts the keys of a range. An operation of a trace is the action of the *)
(* same name; its fields are the parameters.                                *)
EXTENDS Integers, FiniteSets

CONSTANTS Keys,     \* the keys that occur in the trace
          NoValue   \* what stands for "no value"

VARIABLE map

Init == map = [key \in Keys |-> NoValue]

KVContains(key, result) ==
    /\ result = (map[key] # NoValue)
    /\ UNCHANGED map

KVInsert(key, value, result) ==
    /\ map[key] = result
    /\ map' = [map EXCEPT ![key] = value]

KVInsertIfAbsent(key, value, result) ==
    /\ map[key] = result
    /\ IF map[key] = NoValue
       THEN map' = [map EXCEPT ![key] = value]
       ELSE UNCHANGED map

KVErase(key, result) ==
    /\ map[key] = result
    /\ map' = [map EXCEPT ![key] = NoValue]

KVRangeQuery(lo, hi, count) ==
    /\ count = Cardinality({key \in lo .. hi \cap Keys : map[key] # NoValue})
    /\ UNCHANGED map
=============================================================================
