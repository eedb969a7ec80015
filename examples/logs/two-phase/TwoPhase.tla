---- MODULE TwoPhase ----
\* Two-phase commit: resource managers prepare, and the transaction manager commits once all of them have.
EXTENDS Naturals, FiniteSets
CONSTANT RM
VARIABLES rmState, tmState, tmPrepared, msgs
vars == <<rmState, tmState, tmPrepared, msgs>>

Prepared(rm) == [type |-> "Prepared", rm |-> rm]
Commit == [type |-> "Commit"]
Abort == [type |-> "Abort"]

Init ==
    /\ rmState = [rm \in RM |-> "working"]
    /\ tmState = "init"
    /\ tmPrepared = {}
    /\ msgs = {}

RMPrepare(rm) ==
    /\ rmState[rm] = "working"
    /\ rmState' = [rmState EXCEPT ![rm] = "prepared"]
    /\ msgs' = msgs \cup {Prepared(rm)}
    /\ UNCHANGED <<tmState, tmPrepared>>

RMChooseToAbort(rm) ==
    /\ rmState[rm] = "working"
    /\ rmState' = [rmState EXCEPT ![rm] = "aborted"]
    /\ UNCHANGED <<tmState, tmPrepared, msgs>>

TMRcvPrepared(rm) ==
    /\ tmState = "init"
    /\ Prepared(rm) \in msgs
    /\ tmPrepared' = tmPrepared \cup {rm}
    /\ UNCHANGED <<rmState, tmState, msgs>>

TMCommit ==
    /\ tmState = "init"
    /\ tmPrepared = RM
    /\ tmState' = "done"
    /\ msgs' = msgs \cup {Commit}
    /\ UNCHANGED <<rmState, tmPrepared>>

TMAbort ==
    /\ tmState = "init"
    /\ tmState' = "done"
    /\ msgs' = msgs \cup {Abort}
    /\ UNCHANGED <<rmState, tmPrepared>>

RMRcvCommitMsg(rm) ==
    /\ Commit \in msgs
    /\ rmState' = [rmState EXCEPT ![rm] = "committed"]
    /\ UNCHANGED <<tmState, tmPrepared, msgs>>

RMRcvAbortMsg(rm) ==
    /\ Abort \in msgs
    /\ rmState' = [rmState EXCEPT ![rm] = "aborted"]
    /\ UNCHANGED <<tmState, tmPrepared, msgs>>

Next ==
    \/ TMCommit
    \/ TMAbort
    \/ \E rm \in RM :
        \/ TMRcvPrepared(rm)
        \/ RMPrepare(rm)
        \/ RMChooseToAbort(rm)
        \/ RMRcvCommitMsg(rm)
        \/ RMRcvAbortMsg(rm)

Spec == Init /\ [][Next]_vars

Consistent == ~\E a, b \in RM : rmState[a] = "aborted" /\ rmState[b] = "committed"
====
