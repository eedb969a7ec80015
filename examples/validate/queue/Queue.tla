------------------------------- MODULE Queue -------------------------------
(* A first-in, first-out queue. Taking from an empty queue gives Nothing.   *)
EXTENDS Sequences

CONSTANT Nothing

VARIABLE queue

Init == queue = <<>>

Put(item) == queue' = Append(queue, item)

Take(result) ==
    \/ /\ queue = <<>>
       /\ result = Nothing
       /\ UNCHANGED queue
    \/ /\ queue # <<>>
       /\ result = Head(queue)
       /\ queue' = Tail(queue)
=============================================================================
