---- MODULE Inside ----
EXTENDS Integers
VARIABLE jobs
Init == jobs = [k \in 1..3 |-> [state |-> "new", tries |-> 0]]
Start(k) == jobs' = [jobs EXCEPT ![k].state = "run"]
Fail(k) == jobs' = [jobs EXCEPT ![k].tries = 1]
Running(k, tries) == jobs[k] = [state |-> "run", tries |-> 0] /\ tries = jobs[k].tries /\ UNCHANGED jobs
====
