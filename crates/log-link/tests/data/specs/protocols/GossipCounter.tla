---- MODULE GossipCounter ----
\* A counter that only grows, replicated by gossip: each node counts for itself and tells others what it knows.
EXTENDS Naturals, FiniteSets
CONSTANT Node
VARIABLES known, sent
vars == <<known, sent>>
Max(a, b) == IF a > b THEN a ELSE b
Nothing == [n \in Node |-> 0]
RECURSIVE Sum(_, _)
Sum(f, S) == IF S = {} THEN 0 ELSE LET n == CHOOSE n \in S : TRUE IN f[n] + Sum(f, S \ {n})

Init == known = [n \in Node |-> Nothing] /\ sent = {}

Increment(n) ==
    /\ known[n][n] < 2
    /\ known' = [known EXCEPT ![n][n] = @ + 1]
    /\ UNCHANGED sent

Tell(n, m) ==
    /\ n # m
    /\ sent' = sent \cup {<<m, known[n]>>}
    /\ Cardinality(sent') <= 3
    /\ UNCHANGED known

Merge(n) == \E about \in sent :
    /\ about[1] = n
    /\ known' = [known EXCEPT ![n] = [m \in Node |-> Max(@[m], about[2][m])]]
    /\ UNCHANGED sent

Read(n, total) == total = Sum(known[n], Node) /\ UNCHANGED vars

Next == \E n \in Node : \/ Increment(n) \/ Merge(n)
                        \/ \E m \in Node : Tell(n, m)
                        \/ \E total \in 0..6 : Read(n, total)
====
