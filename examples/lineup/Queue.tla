-------------------------------- MODULE Queue --------------------------------
(* What the calls of src/bin/queue.rs promise. Actions are called like calls; *)
(* `result` is what came back, and `None` is the model value null.            *)
EXTENDS Sequences

CONSTANT null

VARIABLE queue

Init == queue = <<>>

push(value) == queue' = Append(queue, value)

pop(result) ==
    IF queue = <<>>
    THEN result = null /\ UNCHANGED queue
    ELSE result = Head(queue) /\ queue' = Tail(queue)
=============================================================================
