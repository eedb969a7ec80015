---- MODULE ModCopy ----
EXTENDS Naturals, FiniteSets, Sequences
VARIABLE log
ASSUME IsFiniteSet({1, 2}) /\ Twice({1, 2, 3}) = 6
Init == log = <<0>>
Next == Len(log) < 4 /\ log' = Append(log, Last(log) + 1)
Growing == Len(log) = Last(log) + 1
Counted == Cardinality({log[n] : n \in 1..Len(log)}) # 3
====
