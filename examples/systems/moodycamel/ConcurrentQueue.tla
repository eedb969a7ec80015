-------------------------- MODULE ConcurrentQueue --------------------------
(* moodycamel::ConcurrentQueue promises that the items of one producer come *)
(* out in the order in which they went in, and nothing about the items of   *)
(* different producers. A thread is two producers: one with its token, and  *)
(* one without. Bulk operations are not atomic: they put or take items one  *)
(* by one. A dequeue may fail although there is something.                  *)
EXTENDS Naturals, Sequences

CONSTANTS Threads, Nothing

VARIABLES
    queues,     \* for each producer, what it has put in and nobody has taken
    put,        \* how many items were put in
    putting,    \* for each thread, what its current bulk operation has put in
    taking      \* for each thread, what its current bulk operation has taken

vars == <<queues, put, putting, taking>>

Producers == Threads \X BOOLEAN

Init ==
    /\ queues = [p \in Producers |-> <<>>]
    /\ put = 0
    /\ putting = [t \in Threads |-> <<>>]
    /\ taking = [t \in Threads |-> <<>>]

PutIn(producer, item) ==
    /\ queues' = [queues EXCEPT ![producer] = Append(@, item)]
    /\ put' = put + 1

TakeFrom(producer, item) ==
    /\ queues[producer] # <<>>
    /\ Head(queues[producer]) = item
    /\ queues' = [queues EXCEPT ![producer] = Tail(@)]
    /\ UNCHANGED put

Enqueue(thread, token, item) ==
    /\ PutIn(<<thread, token>>, item)
    /\ UNCHANGED <<putting, taking>>

TryDequeue(result) ==
    \/ result = Nothing /\ UNCHANGED vars
    \/ (\E p \in Producers : TakeFrom(p, result)) /\ UNCHANGED <<putting, taking>>

(* From what the thread itself has put in with its token.                   *)
TryDequeueOwn(thread, result) ==
    \/ result = Nothing /\ UNCHANGED vars
    \/ TakeFrom(<<thread, TRUE>>, result) /\ UNCHANGED <<putting, taking>>

IsPrefix(short, long) ==
    /\ Len(short) < Len(long)
    /\ \A i \in 1 .. Len(short) : short[i] = long[i]

EnqueueBulk_Step(thread, token, items) ==
    /\ IsPrefix(putting[thread], items)
    /\ LET item == items[Len(putting[thread]) + 1]
       IN  /\ putting' = [putting EXCEPT ![thread] = Append(@, item)]
           /\ PutIn(<<thread, token>>, item)
    /\ UNCHANGED taking

EnqueueBulk_Done(thread, token, items) ==
    /\ token \in BOOLEAN
    /\ putting[thread] = items
    /\ putting' = [putting EXCEPT ![thread] = <<>>]
    /\ UNCHANGED <<queues, put, taking>>

DequeueBulk_Step(thread, result) ==
    /\ IsPrefix(taking[thread], result)
    /\ LET item == result[Len(taking[thread]) + 1]
       IN  /\ \E p \in Producers : TakeFrom(p, item)
           /\ taking' = [taking EXCEPT ![thread] = Append(@, item)]
    /\ UNCHANGED putting

DequeueBulk_Done(thread, result) ==
    /\ taking[thread] = result
    /\ taking' = [taking EXCEPT ![thread] = <<>>]
    /\ UNCHANGED <<queues, put, putting>>

(* Approximate: while others are at work, only that there are no more items *)
(* than were ever put in.                                                   *)
SizeApprox(result) == result \in 0 .. put /\ UNCHANGED vars

Next ==
    \E thread \in Threads, token \in BOOLEAN, item \in Nat, items \in Seq(Nat) :
        \/ Enqueue(thread, token, item)
        \/ TryDequeue(item)
        \/ TryDequeueOwn(thread, item)
        \/ EnqueueBulk_Step(thread, token, items)
        \/ EnqueueBulk_Done(thread, token, items)
        \/ DequeueBulk_Step(thread, items)
        \/ DequeueBulk_Done(thread, items)
        \/ SizeApprox(item)
=============================================================================
