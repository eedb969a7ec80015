-------------------------------- MODULE Reals --------------------------------
(* No number here is anything but an integer. Real is deliberately not a set, so that a specification *)
(* that asks for real numbers is told so; a model replaces Real by a set of integers of its choice.   *)
EXTENDS Integers

Real == "the set of real numbers, which cannot be evaluated"

a / b == CHOOSE quotient \in Real : quotient * b = a

Infinity == CHOOSE beyond : beyond \notin Real /\ \A r \in Real : r < beyond
==============================================================================
