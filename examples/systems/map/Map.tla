-------------------------------- MODULE Map --------------------------------
(* An ordered set of keys with values whose updates say what was there      *)
(* before, and which counts the keys of a range in one instant.             *)
EXTENDS Integers, FiniteSets

CONSTANTS MaxKey,   \* keys are 1 .. MaxKey
          NoValue   \* what stands for "no value"

VARIABLE map

Keys == 1 .. MaxKey
Values == 1 .. 8

Init == map = [key \in Keys |-> NoValue]

(* Inserts if there is nothing; returns what was there. *)
Insert(key, value, result) ==
    /\ result = map[key]
    /\ IF map[key] = NoValue
       THEN map' = [map EXCEPT ![key] = value]
       ELSE UNCHANGED map

Erase(key, result) ==
    /\ result = map[key]
    /\ map' = [map EXCEPT ![key] = NoValue]

Lookup(key, result) ==
    /\ result = map[key]
    /\ UNCHANGED map

Count(lo, hi, result) ==
    /\ result = Cardinality({key \in Keys : lo <= key /\ key <= hi /\ map[key] # NoValue})
    /\ UNCHANGED map

Next ==
    \E key \in Keys :
        \/ \E value \in Values, result \in Values \cup {NoValue} : Insert(key, value, result)
        \/ \E result \in Values \cup {NoValue} : Erase(key, result) \/ Lookup(key, result)
        \/ \E hi \in Keys, result \in 0 .. MaxKey : Count(key, hi, result)
=============================================================================
