---- MODULE Baton ----
EXTENDS Naturals
CONSTANT Runners
VARIABLES pc, baton
vars == <<pc, baton>>
Init == pc = [r \in Runners |-> "rest"] /\ baton = 1
Ask(r) == pc[r] = "rest" /\ pc' = [pc EXCEPT ![r] = "ask"] /\ UNCHANGED baton
Take(r) == pc[r] = "ask" /\ baton > 0 /\ baton' = baton - 1 /\ pc' = [pc EXCEPT ![r] = "run"]
Give(r) == pc[r] = "run" /\ baton' = baton + 1 /\ pc' = [pc EXCEPT ![r] = "rest"]
Next == \E r \in Runners : Ask(r) \/ Take(r) \/ Give(r)
Strong == Init /\ [][Next]_vars /\ \A r \in Runners : SF_vars(Take(r)) /\ WF_vars(Give(r))
Weak == Init /\ [][Next]_vars /\ \A r \in Runners : WF_vars(Take(r)) /\ WF_vars(Give(r))
Runs == \A r \in Runners : pc[r] = "ask" ~> pc[r] = "run"
Alone == \A r, s \in Runners : pc[r] = "run" /\ pc[s] = "run" => r = s
====
