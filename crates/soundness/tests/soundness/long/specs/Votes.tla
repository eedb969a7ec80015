---- MODULE Votes ----
\* Votes as a set of records: conditions on all of them.
EXTENDS Integers, FiniteSets
VARIABLES votes, members
vars == <<votes, members>>
Init == votes = {} /\ members = {}
Vote(who, value) ==
    /\ votes' = {v \in votes : v.who # who} \cup {[who |-> who, value |-> value]}
    /\ members' = members \cup {who}
Retract(who, ok) ==
    /\ ok = (who \in members)
    /\ votes' = {v \in votes : v.who # who}
    /\ members' = members \ {who}
Agreed(value, ok) == ok = (\A v \in votes : v.value = value) /\ UNCHANGED vars
Only(who, ok) == ok = (\A m \in members : m = who) /\ UNCHANGED vars
CountOf(value, result) == result = Cardinality({v \in votes : v.value = value}) /\ UNCHANGED vars
====
