------------------------------- MODULE Redis -------------------------------
(* Strings of Redis that hold integers, with a transaction over two keys.   *)
EXTENDS Integers

CONSTANTS Keys,
          Nil       \* what Redis returns for a key that it does not have

VARIABLE db

Init == db = [key \in Keys |-> Nil]

Number(key) == IF db[key] = Nil THEN 0 ELSE db[key]

SET(key, value) == db' = [db EXCEPT ![key] = value]

GET(key, result) ==
    /\ result = db[key]
    /\ UNCHANGED db

INCR(key, result) ==
    /\ result = Number(key) + 1
    /\ db' = [db EXCEPT ![key] = result]

GETSET(key, value, result) ==
    /\ result = db[key]
    /\ db' = [db EXCEPT ![key] = value]

DEL(key, result) ==
    /\ result = IF db[key] = Nil THEN 0 ELSE 1
    /\ db' = [db EXCEPT ![key] = Nil]

(* MULTI; INCR key; DECR other; EXEC *)
MOVE(key, other, result) ==
    /\ key # other
    /\ result = <<Number(key) + 1, Number(other) - 1>>
    /\ db' = [db EXCEPT ![key] = result[1], ![other] = result[2]]
=============================================================================
