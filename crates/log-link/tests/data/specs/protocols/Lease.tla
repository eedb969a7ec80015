---- MODULE Lease ----
\* A leader lease: whoever holds it may write until it runs out. The clock of the holder may be late by one.
EXTENDS Integers, Sequences
CONSTANTS Node, Length
VARIABLES now, lease, belief, written
vars == <<now, lease, belief, written>>

Nobody == [holder |-> "nobody", until |-> 0]
IsFree == lease.holder = "nobody" \/ lease.until < now

Init ==
    /\ now = 0
    /\ lease = Nobody
    /\ belief = [n \in Node |-> 0]
    /\ written = <<>>

Tick == now < 6 /\ now' = now + 1 /\ UNCHANGED <<lease, belief, written>>

Grant(n) ==
    /\ IsFree \/ lease.holder = n
    /\ LET until == now + Length IN
        /\ lease' = [holder |-> n, until |-> until]
        /\ belief' = [belief EXCEPT ![n] = until - 1]
    /\ UNCHANGED <<now, written>>

Release(n) ==
    /\ lease.holder = n
    /\ lease' = Nobody
    /\ belief' = [belief EXCEPT ![n] = 0]
    /\ UNCHANGED <<now, written>>

Write(n, v) ==
    /\ belief[n] > now
    /\ Len(written) < 3
    /\ written' = Append(written, [by |-> n, value |-> v])
    /\ UNCHANGED <<now, lease, belief>>

Next ==
    \/ Tick
    \/ \E n \in Node : Grant(n) \/ Release(n) \/ \E v \in 1..2 : Write(n, v)
====
