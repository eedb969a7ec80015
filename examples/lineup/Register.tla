------------------------------ MODULE Register ------------------------------
(* One register, which src/bin/replicas.rs keeps twice.                      *)
EXTENDS Integers

VARIABLE register

Init == register = 0

write(value) == register' = value

near(result) == result = register /\ UNCHANGED register

far(result) == result = register /\ UNCHANGED register

\* Says what a call may have returned to someone who does not look: levels below `sequential` ask that.
Next ==
    \/ \E value \in 0..1 : write(value)
    \/ \E result \in 0..1 : near(result) \/ far(result)
=============================================================================
