---- MODULE Copy ----
EXTENDS Integers
Any(S, P(_)) == \E x \in S : P(x)
VARIABLE f
Init == f = [i \in 1..2 |-> 0]
Put(k, v) == f' = [f EXCEPT ![k] = v]
Copy(v) == Any(1..2, LAMBDA i : f[i] = v) /\ f' = [f EXCEPT ![1] = v]
Get(k, v) == f[k] = v /\ UNCHANGED f
====
