---- MODULE Hour ----
EXTENDS Naturals
VARIABLE h
Init == h \in 0..3
Next == h' = (h + 1) % 4
Spec == Init /\ [][Next]_h /\ WF_h(Next) /\ SF_h(Next /\ h = 3)
====
