---- MODULE Mode ----
EXTENDS Integers
CONSTANT Keys
VARIABLES mode, cnt
Init == mode = "on" /\ cnt = [k \in Keys |-> 0]
RECURSIVE SumOf(_)
SumOf(S) == IF S = {} THEN 0 ELSE LET k == CHOOSE k \in S : TRUE IN cnt[k] + SumOf(S \ {k})
Inc(key) == cnt' = [cnt EXCEPT ![key] = (@ + 1) % 3] /\ UNCHANGED mode
Read(key, result) == mode = "on" /\ cnt[key] = result /\ UNCHANGED <<mode, cnt>>
Sum(result) == mode = "on" /\ result = SumOf(Keys) /\ UNCHANGED <<mode, cnt>>
On == mode' = "on" /\ cnt' = [k \in Keys |-> 0]
Off == mode' = "off" /\ UNCHANGED cnt
View == <<mode, IF mode = "on" THEN cnt ELSE 0>>
====
