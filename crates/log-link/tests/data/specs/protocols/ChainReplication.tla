---- MODULE ChainReplication ----
\* Chain replication: the head takes updates and passes them on; the tail answers. Acknowledgements travel back.
EXTENDS Naturals, Sequences
CONSTANTS Chain, Value
VARIABLES stored, inFlight, stable
vars == <<stored, inFlight, stable>>
Position == 1..Len(Chain)
IsTail(i) == i = Len(Chain)

Init ==
    /\ stored = [i \in Position |-> <<>>]
    /\ inFlight = [i \in Position |-> <<>>]
    /\ stable = [i \in Position |-> 0]

Accept(v) ==
    /\ Len(stored[1]) < 3
    /\ stored' = [stored EXCEPT ![1] = Append(@, v)]
    /\ inFlight' = IF Len(Chain) > 1 THEN [inFlight EXCEPT ![2] = Append(@, v)] ELSE inFlight
    /\ UNCHANGED stable

Store(i) ==
    /\ i > 1 /\ inFlight[i] # <<>>
    /\ stored' = [stored EXCEPT ![i] = Append(@, Head(inFlight[i]))]
    /\ inFlight' = [j \in Position |->
                      CASE j = i -> Tail(inFlight[j])
                        [] j = i + 1 -> Append(inFlight[j], Head(inFlight[i]))
                        [] OTHER -> inFlight[j]]
    /\ UNCHANGED stable

Acknowledge(i) ==
    /\ stable[i] < (IF IsTail(i) THEN Len(stored[i]) ELSE stable[i + 1])
    /\ stable' = [stable EXCEPT ![i] = @ + 1]
    /\ UNCHANGED <<stored, inFlight>>

Next == (\E v \in Value : Accept(v)) \/ (\E i \in Position : Store(i) \/ Acknowledge(i))
====
