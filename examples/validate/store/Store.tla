------------------------------- MODULE Store -------------------------------
(* A key-value store with snapshot isolation. A transaction reads from the  *)
(* snapshot taken when it began, sees its own writes, and may commit only   *)
(* if nobody else has committed a key that it wrote since then: the first   *)
(* to write wins already when writing, so a conflict aborts the writer.     *)
EXTENDS Integers, FiniteSets

CONSTANTS Keys, Txns, NoValue

VARIABLES
    store,      \* what is committed
    version,    \* for each key, how often it was committed
    txn         \* for each transaction, what it knows and has done

vars == <<store, version, txn>>

Idle == [status |-> "idle"]

Init ==
    /\ store = [key \in Keys |-> NoValue]
    /\ version = [key \in Keys |-> 0]
    /\ txn = [tid \in Txns |-> Idle]

IsOpen(tid) == txn[tid].status = "open"

Begin(tid) ==
    /\ txn[tid].status = "idle"
    /\ txn' = [txn EXCEPT ![tid] = [status |-> "open", snapshot |-> store, since |-> version, wrote |-> {}]]
    /\ UNCHANGED <<store, version>>

Read(tid, key, result) ==
    /\ IsOpen(tid)
    /\ result = txn[tid].snapshot[key]
    /\ UNCHANGED vars

\* Somebody else has written the key, and has not aborted, since this transaction began.
Conflicts(tid, key) ==
    \/ version[key] # txn[tid].since[key]
    \/ \E other \in Txns \ {tid} : IsOpen(other) /\ key \in txn[other].wrote

Update(tid, key, value) ==
    /\ ~Conflicts(tid, key)
    /\ txn' = [txn EXCEPT ![tid].snapshot[key] = value, ![tid].wrote = @ \cup {key}]
    /\ UNCHANGED <<store, version>>

Fail(tid) ==
    /\ txn' = [txn EXCEPT ![tid] = [status |-> "failed"]]
    /\ UNCHANGED <<store, version>>

Write(tid, key, value, ok) ==
    /\ IsOpen(tid)
    /\ IF ok THEN Update(tid, key, value) ELSE Conflicts(tid, key) /\ Fail(tid)

Remove(tid, key, ok) == Write(tid, key, NoValue, ok)

Commit(tid) ==
    /\ IsOpen(tid)
    /\ LET wrote == txn[tid].wrote
       IN  /\ store' = [key \in Keys |-> IF key \in wrote THEN txn[tid].snapshot[key] ELSE store[key]]
           /\ version' = [key \in Keys |-> IF key \in wrote THEN version[key] + 1 ELSE version[key]]
    /\ txn' = [txn EXCEPT ![tid] = [status |-> "done"]]

Abort(tid) ==
    /\ txn[tid].status \in {"open", "failed"}
    /\ txn' = [txn EXCEPT ![tid] = [status |-> "done"]]
    /\ UNCHANGED <<store, version>>
=============================================================================
