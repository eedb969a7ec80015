---- MODULE Semaphore ----
EXTENDS Integers
CONSTANT Keys
VARIABLE free
All == CHOOSE n \in Keys : \A m \in Keys : m <= n
Init == free = All
Acquire(permits) == free >= permits /\ free' = free - permits
TryAcquire(permits, ok) == IF free >= permits THEN ok /\ free' = free - permits ELSE ~ok /\ UNCHANGED free
Release(permits, ok) == ok = (free + permits <= All) /\ free' = IF ok THEN free + permits ELSE free
Available(result) == free = result /\ UNCHANGED free
====
