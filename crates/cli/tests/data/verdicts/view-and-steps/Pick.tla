---- MODULE Pick ----
EXTENDS Integers
VARIABLES mode, cnt
Init == mode = 0 /\ cnt = [k \in 1..2 |-> 0]
Pick == cnt' \in {[cnt EXCEPT ![1] = 1], [cnt EXCEPT ![1] = 2]} /\ UNCHANGED mode
Reset == cnt' = [cnt EXCEPT ![1] = 0] /\ UNCHANGED mode
Mode(m) == mode' = m /\ UNCHANGED cnt
Read(result) == cnt[1] = result /\ UNCHANGED <<mode, cnt>>
View == <<mode, IF mode = 1 THEN cnt ELSE 0>>
====
