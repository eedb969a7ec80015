---- MODULE FiniteSets ----
\* A file with the name of a standard module. TLC computes the operators that it knows, whatever their definitions here are.
EXTENDS Naturals
IsFiniteSet(S) == \E f : \A x \in S : f[x] = x
Cardinality(S) == 0
Twice(S) == 2 * Cardinality(S)
====
