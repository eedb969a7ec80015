---- MODULE Leases ----
\* A function of records of which single fields are written.
EXTENDS Integers, FiniteSets
CONSTANT Keys
VARIABLE lease
Init == lease = [k \in Keys |-> [who |-> 0, times |-> 0]]
Acquire(key, who, ok) ==
    IF lease[key].who = 0
    THEN ok /\ lease' = [lease EXCEPT ![key].who = who, ![key].times = 0]
    ELSE ~ok /\ UNCHANGED lease
Renew(key, who, ok) ==
    /\ ok = (lease[key].who = who)
    /\ IF ok THEN lease' = [lease EXCEPT ![key].times = (@ + 1) % 3] ELSE UNCHANGED lease
Release(key, who, ok) ==
    /\ ok <=> lease[key].who = who
    /\ lease' = IF ok THEN [lease EXCEPT ![key].who = 0] ELSE lease
Holder(key, result) == lease[key].who = result /\ UNCHANGED lease
HeldBy(who, result) == result = Cardinality({k \in Keys : lease[k].who = who}) /\ UNCHANGED lease
Free(result) == Cardinality({k \in DOMAIN lease : lease[k].who = 0}) = result /\ UNCHANGED lease
====
