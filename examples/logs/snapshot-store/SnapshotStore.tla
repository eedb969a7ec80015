---- MODULE SnapshotStore ----
\* A key-value store with snapshot isolation: a transaction sees the values that were committed when it began, and its own writes. It may commit
\* if nobody has committed a write of the same key since.
EXTENDS Integers
CONSTANTS Client, Key
VARIABLES
    committed,  \* the value of each key
    active,     \* the clients with a transaction
    view,       \* what each client's transaction sees
    written,    \* the keys that it has written
    missed      \* the keys that others have committed since it began
vars == <<committed, active, view, written, missed>>

Init ==
    /\ committed = [k \in Key |-> 0]
    /\ active = {}
    /\ view = [c \in Client |-> committed]
    /\ written = [c \in Client |-> {}]
    /\ missed = [c \in Client |-> {}]

Begin(c) ==
    /\ c \notin active
    /\ active' = active \cup {c}
    /\ view' = [view EXCEPT ![c] = committed]
    /\ written' = [written EXCEPT ![c] = {}]
    /\ missed' = [missed EXCEPT ![c] = {}]
    /\ UNCHANGED committed

Read(c, k, v) ==
    /\ c \in active
    /\ view[c][k] = v
    /\ UNCHANGED vars

Write(c, k, v) ==
    /\ c \in active
    /\ view' = [view EXCEPT ![c][k] = v]
    /\ written' = [written EXCEPT ![c] = @ \cup {k}]
    /\ UNCHANGED <<committed, active, missed>>

Commit(c) ==
    /\ c \in active
    /\ written[c] \cap missed[c] = {}
    /\ committed' = [k \in Key |-> IF k \in written[c] THEN view[c][k] ELSE committed[k]]
    /\ missed' = [d \in Client |-> IF d \in active \ {c} THEN missed[d] \cup written[c] ELSE missed[d]]
    /\ active' = active \ {c}
    /\ UNCHANGED <<view, written>>

Abort(c) ==
    /\ c \in active
    /\ active' = active \ {c}
    /\ UNCHANGED <<committed, view, written, missed>>

Next == \E c \in Client :
    \/ Begin(c)
    \/ \E k \in Key, v \in Int : Read(c, k, v) \/ Write(c, k, v)
    \/ Commit(c)
    \/ Abort(c)

Spec == Init /\ [][Next]_vars
====
