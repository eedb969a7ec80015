-------------------------------- MODULE Map --------------------------------
(* A map. `Insert` says what was there before, `Put` does not.              *)
CONSTANTS Keys, Nothing

VARIABLE map

Init == map = [key \in Keys |-> Nothing]

Insert(key, value, result) ==
    /\ result = map[key]
    /\ map' = [map EXCEPT ![key] = value]

Put(key, value) == map' = [map EXCEPT ![key] = value]

GetOrInsert(key, value, result) ==
    /\ result = IF map[key] = Nothing THEN value ELSE map[key]
    /\ map' = [map EXCEPT ![key] = result]

Remove(key, result) ==
    /\ result = map[key]
    /\ map' = [map EXCEPT ![key] = Nothing]

Get(key, result) ==
    /\ result = map[key]
    /\ UNCHANGED map
=============================================================================
