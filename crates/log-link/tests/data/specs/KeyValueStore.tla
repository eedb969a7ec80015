---- MODULE KeyValueStore ----
\* A key-value store with snapshot isolation: a transaction works on the store as it was when it opened.
CONSTANTS Key, Val, TxId, NoVal
VARIABLES store, tx, snapshotStore, written, missed
vars == <<store, tx, snapshotStore, written, missed>>

Empty == [k \in Key |-> NoVal]

Init ==
    /\ store = Empty
    /\ tx = {}
    /\ snapshotStore = [t \in TxId |-> Empty]
    /\ written = [t \in TxId |-> {}]
    /\ missed = [t \in TxId |-> {}]

OpenTx(t) ==
    /\ t \notin tx
    /\ tx' = tx \cup {t}
    /\ snapshotStore' = [snapshotStore EXCEPT ![t] = store]
    /\ UNCHANGED <<store, written, missed>>

Write(t, k, v) ==
    /\ snapshotStore' = [snapshotStore EXCEPT ![t][k] = v]
    /\ written' = [written EXCEPT ![t] = @ \cup {k}]
    /\ UNCHANGED <<store, tx, missed>>

Add(t, k, v) == t \in tx /\ snapshotStore[t][k] = NoVal /\ Write(t, k, v)
Update(t, k, v) == t \in tx /\ snapshotStore[t][k] \notin {NoVal, v} /\ Write(t, k, v)
Remove(t, k) == t \in tx /\ snapshotStore[t][k] # NoVal /\ Write(t, k, NoVal)

Forget(t) ==
    /\ tx' = tx \ {t}
    /\ snapshotStore' = [snapshotStore EXCEPT ![t] = Empty]
    /\ written' = [written EXCEPT ![t] = {}]

RollbackTx(t) ==
    /\ t \in tx
    /\ Forget(t)
    /\ missed' = [missed EXCEPT ![t] = {}]
    /\ UNCHANGED store

CloseTx(t) ==
    /\ t \in tx
    /\ missed[t] \cap written[t] = {}
    /\ Forget(t)
    /\ store' = [k \in Key |-> IF k \in written[t] THEN snapshotStore[t][k] ELSE store[k]]
    /\ missed' = [other \in TxId |->
                    IF other = t THEN {}
                    ELSE IF other \in tx THEN missed[other] \cup written[t]
                    ELSE missed[other]]

Next ==
    \E t \in TxId :
        \/ OpenTx(t)
        \/ \E k \in Key, v \in Val : Add(t, k, v)
        \/ \E k \in Key, v \in Val : Update(t, k, v)
        \/ \E k \in Key : Remove(t, k)
        \/ RollbackTx(t)
        \/ CloseTx(t)

Spec == Init /\ [][Next]_vars
====
