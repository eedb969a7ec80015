------------------------------- MODULE Queue -------------------------------
(* A first-in, first-out queue for eight elements. *)
EXTENDS Integers, Sequences

CONSTANT Nothing

VARIABLE queue

Init == queue = <<>>

enqueue(value, result) ==
    /\ result = (Len(queue) < 8)
    /\ queue' = IF result THEN Append(queue, value) ELSE queue

dequeue(result) ==
    \/ queue = <<>> /\ result = Nothing      /\ UNCHANGED queue
    \/ queue # <<>> /\ result = Head(queue)  /\ queue' = Tail(queue)
=============================================================================
