------------------------------ MODULE Register ------------------------------
(* A register with compare-and-set, as a sequential object. An operation of a history is an action with its arguments;  *)
(* its result is the parameter `result`. The sets in Next tell what a result may be whose value is not known.           *)
EXTENDS Integers

VARIABLE value

Values == 0..3

Init == value = 0

Write(new) == value' = new

Read(result) == result = value /\ UNCHANGED value

Cas(from, to, result) ==
    /\ result = (value = from)
    /\ value' = IF result THEN to ELSE value

Next ==
    \/ \E new \in Values : Write(new)
    \/ \E result \in Values : Read(result)
    \/ \E from, to \in Values, result \in BOOLEAN : Cas(from, to, result)

Spec == Init /\ [][Next]_value
=============================================================================
