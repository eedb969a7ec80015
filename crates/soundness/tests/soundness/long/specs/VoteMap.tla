---- MODULE VoteMap ----
\* Votes as a function with a domain that changes.
EXTENDS Integers, FiniteSets, TLC
VARIABLE vote
Init == vote = [m \in {} |-> 0]
Vote(who, value) == vote' = (who :> value) @@ vote
Retract(who, ok) == ok = (who \in DOMAIN vote) /\ vote' = [m \in DOMAIN vote \ {who} |-> vote[m]]
Agreed(value, ok) == ok = (\A m \in DOMAIN vote : vote[m] = value) /\ UNCHANGED vote
Only(who, ok) == ok = (\A m \in DOMAIN vote : m = who) /\ UNCHANGED vote
CountOf(value, result) == result = Cardinality({m \in DOMAIN vote : vote[m] = value}) /\ UNCHANGED vote
====
