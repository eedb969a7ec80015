----------------------------- MODULE WiredTiger -----------------------------
(* Transactions of WiredTiger under snapshot isolation, with timestamps.    *)
(* Each thread is a session with at most one transaction.                   *)
(*                                                                          *)
(* A transaction sees what was committed when it began; if it reads at a    *)
(* timestamp, of that only what was committed with a timestamp up to it. It *)
(* sees its own updates. An update conflicts if the newest update of the    *)
(* key is one that the transaction does not see, committed or not. What no  *)
(* read at or after the oldest timestamp can see is forgotten.              *)
(*                                                                          *)
(* The first four constants say what the engine lets pass. The defaults     *)
(* describe it as it is; each FALSE gives a stricter specification, of      *)
(* which real runs are violations.                                          *)
EXTENDS Integers, Sequences

CONSTANTS
    Keys, Threads,
    Nil,                    \* no value, no timestamp
    FailedMayCommit,        \* a transaction may commit after an update has failed, if it has made no other
    EqualTimestamps,        \* two commits of one key may have the same timestamp
    CommitsBelowReads,      \* a commit may have a timestamp at which others have read already
    CommitsBelowOldest,     \* the oldest timestamp may overtake a commit that is under way
    RefusesOldTimestamps    \* an oldest timestamp that goes back is refused, and a commit before the last one of its key

VARIABLES
    history,    \* for each key its committed versions that can still be seen, the oldest first
    writer,     \* for each key the thread that has updated it and has not ended its transaction, or Nil
    txn,        \* for each thread its transaction, or Nil
    oldest,     \* the timestamp before which nobody may read or commit
    read        \* the latest timestamp at which anybody has read

vars == <<history, writer, txn, oldest, read>>

(* What is there before the first commit of a key.                          *)
Never == [n |-> 0, value |-> Nil, ts |-> 0]

Init ==
    /\ history = [key \in Keys |-> <<Never>>]
    /\ writer = [key \in Keys |-> Nil]
    /\ txn = [thread \in Threads |-> Nil]
    /\ oldest = 1
    /\ read = 0

Last(key) == history[key][Len(history[key])]

(* The place of the newest version that is visible at a timestamp. There is *)
(* always one, because versions without a successor are kept.               *)
RECURSIVE NewestUpTo(_, _, _)
NewestUpTo(versions, ts, i) ==
    IF i = 1 \/ versions[i].ts <= ts THEN i ELSE NewestUpTo(versions, ts, i - 1)

Begin(thread, read_ts, result) ==
    /\ txn[thread] = Nil
    /\ IF read_ts # Nil /\ read_ts < oldest
       THEN result = "refused" /\ UNCHANGED vars
       ELSE /\ result = "ok"
            /\ txn' = [txn EXCEPT ![thread] =
                  [ snapshot |-> [key \in Keys |->
                        LET versions == history[key]
                        IN  versions[IF read_ts = Nil THEN Len(versions)
                                     ELSE NewestUpTo(versions, read_ts, Len(versions))]],
                    own |-> <<>>,       \* its updates, in order
                    failed |-> FALSE,
                    passed |-> FALSE ]] \* the timestamp of its commit was found to be late enough
            /\ read' = IF read_ts # Nil /\ read_ts > read THEN read_ts ELSE read
            /\ UNCHANGED <<history, writer, oldest>>

(* Versions that are older than the newest one up to the oldest timestamp   *)
(* are out of reach. The oldest timestamp never goes back.                  *)
SetOldest(ts, result) ==
    /\ result = IF RefusesOldTimestamps /\ ts < oldest THEN "refused" ELSE "ok"
    /\ oldest' = IF ts > oldest THEN ts ELSE oldest
    /\ history' = [key \in Keys |->
           LET versions == history[key]
           IN  SubSeq(versions, NewestUpTo(versions, oldest', Len(versions)), Len(versions))]
    /\ UNCHANGED <<writer, txn, read>>

Own(thread, key) == { i \in DOMAIN txn[thread].own : txn[thread].own[i].key = key }

Value(thread, key) ==
    LET own == Own(thread, key)
    IN  IF own # {} THEN txn[thread].own[CHOOSE i \in own : \A j \in own : j <= i].value
        ELSE txn[thread].snapshot[key].value

Get(thread, key, result) ==
    /\ txn[thread] # Nil
    /\ result = Value(thread, key)
    /\ UNCHANGED vars

Conflicts(thread, key) ==
    \/ writer[key] \notin {Nil, thread}
    \/ txn[thread].snapshot[key].n # Last(key).n

Update(thread, key, value) ==
    /\ txn' = [txn EXCEPT ![thread].own = Append(@, [key |-> key, value |-> value])]
    /\ writer' = [writer EXCEPT ![key] = thread]
    /\ UNCHANGED <<history, oldest, read>>

Fail(thread) ==
    /\ txn' = [txn EXCEPT ![thread].failed = TRUE]
    /\ UNCHANGED <<history, writer, oldest, read>>

Put(thread, key, value, result) ==
    /\ txn[thread] # Nil
    /\ IF Conflicts(thread, key)
       THEN result = "conflict" /\ Fail(thread)
       ELSE result = "ok" /\ Update(thread, key, value)

Remove(thread, key, result) ==
    /\ txn[thread] # Nil
    /\ IF Conflicts(thread, key)
       THEN result = "conflict" /\ Fail(thread)
       ELSE IF Value(thread, key) = Nil
            THEN result = "notfound" /\ UNCHANGED vars
            ELSE result = "ok" /\ Update(thread, key, Nil)

Wrote(thread) == { txn[thread].own[i].key : i \in DOMAIN txn[thread].own }

(* A transaction that ends without a commit gives up its keys one by one:   *)
(* others may already update one of them while another still conflicts.     *)
GiveUp(thread) ==
    /\ txn[thread] # Nil
    /\ \E key \in Wrote(thread) :
           /\ writer[key] = thread
           /\ writer' = [writer EXCEPT ![key] = Nil]
    /\ UNCHANGED <<history, txn, oldest, read>>

GaveUp(thread) ==
    /\ txn[thread] # Nil
    /\ \A key \in Wrote(thread) : writer[key] # thread
    /\ txn' = [txn EXCEPT ![thread] = Nil]
    /\ UNCHANGED <<history, writer, oldest, read>>

Rollback_Step(thread) == GiveUp(thread)
Rollback_Done(thread) == GaveUp(thread)

(* The timestamp is compared with the oldest one first, and the transaction *)
(* becomes visible later: that is a step of its own.                        *)
IsTooOld(ts) == ts # 0 /\ ts < oldest

(* Why else the engine refuses to commit.                                   *)
IsRefused(thread, ts) ==
    \/ txn[thread].failed /\ (txn[thread].own # <<>> \/ ~FailedMayCommit)
    \/ RefusesOldTimestamps /\ \E key \in Wrote(thread) : Last(key).ts > ts

(* What only the stricter specifications demand.                            *)
IsInOrder(thread, ts) ==
    /\ CommitsBelowOldest \/ ~IsTooOld(ts)
    /\ CommitsBelowReads \/ Wrote(thread) = {} \/ ts > read
    /\ EqualTimestamps \/ \A key \in Wrote(thread) : Last(key).ts # ts

Commit_Step(thread, ts, result) ==
    /\ txn[thread] # Nil
    /\ IF result = "refused"
       THEN (IsTooOld(ts) \/ IsRefused(thread, ts)) /\ GiveUp(thread)
       ELSE /\ ~txn[thread].passed
            /\ ~IsTooOld(ts)
            /\ txn' = [txn EXCEPT ![thread].passed = TRUE]
            /\ UNCHANGED <<history, writer, oldest, read>>

Commit_Done(thread, ts, result) ==
    /\ txn[thread] # Nil
    /\ IF result = "refused"
       THEN (IsTooOld(ts) \/ IsRefused(thread, ts)) /\ GaveUp(thread)
       ELSE /\ result = "ok"
            /\ txn[thread].passed
            /\ ~IsRefused(thread, ts)
            /\ IsInOrder(thread, ts)
            /\ history' = [key \in Keys |->
                   IF key \in Wrote(thread)
                   THEN Append(history[key], [n |-> Last(key).n + 1, value |-> Value(thread, key), ts |-> ts])
                   ELSE history[key]]
            /\ writer' = [key \in Keys |-> IF writer[key] = thread THEN Nil ELSE writer[key]]
            /\ txn' = [txn EXCEPT ![thread] = Nil]
            /\ UNCHANGED <<oldest, read>>

Next ==
    \E thread \in Threads, key \in Keys, value \in Nat, ts \in Nat, result \in {"ok", "conflict", "notfound", "refused"} :
        \/ Begin(thread, ts, result)
        \/ SetOldest(ts, result)
        \/ Get(thread, key, value)
        \/ Put(thread, key, value, result)
        \/ Remove(thread, key, result)
        \/ Commit_Step(thread, ts, result)
        \/ Commit_Done(thread, ts, result)
        \/ Rollback_Step(thread)
        \/ Rollback_Done(thread)
=============================================================================
