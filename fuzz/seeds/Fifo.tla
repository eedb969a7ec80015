-------------------------------- MODULE Fifo --------------------------------
(* A first-in first-out queue, its operations as actions.                   *)
EXTENDS Naturals, Sequences

CONSTANTS Values,    \* what can be queued
          Capacity   \* how many fit

ASSUME Capacity \in Nat \ {0}

VARIABLE queue

TypeOK == queue \in Seq(Values) /\ Len(queue) <= Capacity

Init == queue = <<>>

Enqueue(value) ==
    /\ Len(queue) < Capacity
    /\ queue' = Append(queue, value)

Dequeue(value) ==
    /\ queue # <<>>
    /\ value = Head(queue)
    /\ queue' = Tail(queue)

Next ==
    \/ \E value \in Values : Enqueue(value)
    \/ \E value \in Values : Dequeue(value)

Spec == Init /\ [][Next]_queue
=============================================================================
