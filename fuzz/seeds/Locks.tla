---- MODULE Locks ----
\* Two clients, a lock with a lease, and a store that does not look at the lease: a client whose lease ran out still writes.
EXTENDS Naturals
CONSTANT Clients
VARIABLES holder, believes, written
vars == <<holder, believes, written>>

None == "none"

Init == /\ holder = None
        /\ believes = [c \in Clients |-> FALSE]
        /\ written = {}

Acquire(c) == /\ holder = None
              /\ holder' = c
              /\ believes' = [believes EXCEPT ![c] = TRUE]
              /\ UNCHANGED written

\* Time passes: the lease is over, and the client does not know.
Expire == holder # None /\ holder' = None /\ UNCHANGED <<believes, written>>

Write(c) == /\ believes[c]
            /\ written' = written \cup {c}
            /\ UNCHANGED <<holder, believes>>

Release(c) == /\ believes[c]
              /\ believes' = [believes EXCEPT ![c] = FALSE]
              /\ holder' = IF holder = c THEN None ELSE holder
              /\ UNCHANGED written

Next == Expire \/ \E c \in Clients : Acquire(c) \/ Write(c) \/ Release(c)
Spec == Init /\ [][Next]_vars

TypeOK == /\ holder \in Clients \cup {None}
          /\ believes \in [Clients -> BOOLEAN]
          /\ written \subseteq Clients
OneBeliever == \A c, d \in Clients : believes[c] /\ believes[d] => c = d
====
