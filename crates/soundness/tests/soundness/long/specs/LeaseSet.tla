---- MODULE LeaseSet ----
\* The leases as a set of records, with quantifiers and CHOOSE.
EXTENDS Integers, FiniteSets
CONSTANT Keys
VARIABLE leases
Init == leases = {}
Of(key) == {l \in leases : l.key = key}
IsHeldBy(key, who) == \E l \in leases : l.key = key /\ l.who = who
Acquire(key, who, ok) ==
    IF \A l \in leases : l.key # key
    THEN ok /\ leases' = leases \cup {[key |-> key, who |-> who, times |-> 0]}
    ELSE ~ok /\ UNCHANGED leases
Renew(key, who, ok) ==
    /\ ok = IsHeldBy(key, who)
    /\ IF ok
       THEN LET old == CHOOSE l \in Of(key) : TRUE
            IN leases' = (leases \ {old}) \cup {[old EXCEPT !.times = (@ + 1) % 3]}
       ELSE UNCHANGED leases
Release(key, who, ok) ==
    /\ ok = IsHeldBy(key, who)
    /\ leases' = IF ok THEN {l \in leases : l.key # key} ELSE leases
Holder(key, result) == result = (IF Of(key) = {} THEN 0 ELSE (CHOOSE l \in Of(key) : TRUE).who) /\ UNCHANGED leases
HeldBy(who, result) == result = Cardinality({l \in leases : l.who = who}) /\ UNCHANGED leases
Free(result) == result = Cardinality(Keys) - Cardinality(leases) /\ UNCHANGED leases
====
