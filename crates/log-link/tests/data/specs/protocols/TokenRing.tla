---- MODULE TokenRing ----
\* A token goes around a ring of numbered nodes. Whoever has it may work; it may get lost, and node 0 then makes a new one with a higher number.
EXTENDS Integers, FiniteSets
CONSTANT N
VARIABLES token, link, working, last
vars == <<token, link, working, last>>
Nodes == 0..(N - 1)
After(i) == (i + 1) % N

Init ==
    /\ token = 0
    /\ link = {}
    /\ working = {}
    /\ last = [i \in Nodes |-> 0]

Work(i) == token = i /\ i \notin working /\ working' = working \union {i} /\ UNCHANGED <<token, link, last>>
Rest(i) == i \in working /\ working' = working \ {i} /\ UNCHANGED <<token, link, last>>

Pass(i) ==
    /\ token = i /\ i \notin working
    /\ token' = -1
    /\ link' = {[to |-> After(i), number |-> last[i]]}
    /\ UNCHANGED <<working, last>>

Receive(i) == \E m \in link :
    /\ m.to = i /\ m.number >= last[i]
    /\ token' = i
    /\ link' = link \ {m}
    /\ last' = [last EXCEPT ![i] = m.number]
    /\ UNCHANGED working

Lose == link # {} /\ link' = {} /\ UNCHANGED <<token, working, last>>

Renew ==
    /\ token = -1 /\ link = {} /\ last[0] < 2
    /\ token' = 0
    /\ last' = [last EXCEPT ![0] = @ + 1]
    /\ UNCHANGED <<link, working>>

Next == Lose \/ Renew \/ \E i \in Nodes : Work(i) \/ Rest(i) \/ Pass(i) \/ Receive(i)
====
