-------------------------- MODULE ConcurrentQueue --------------------------
(* moodycamel::ConcurrentQueue promises that the items of one producer come *)
(* out in the order in which they went in, and nothing about the items of   *)
(* different producers. Bulk operations are not atomic: they put or take    *)
(* items one by one. A dequeue may fail although there is something.        *)
EXTENDS Naturals, Sequences

CONSTANTS Threads, Nothing

VARIABLES
    queues,     \* for each producer, what it has put in and nobody has taken
    putting,    \* for each thread, what its current bulk operation has put in
    taking      \* for each thread, what its current bulk operation has taken

vars == <<queues, putting, taking>>

Init ==
    /\ queues = [t \in Threads |-> <<>>]
    /\ putting = [t \in Threads |-> <<>>]
    /\ taking = [t \in Threads |-> <<>>]

Enqueue(thread, item) ==
    /\ queues' = [queues EXCEPT ![thread] = Append(@, item)]
    /\ UNCHANGED <<putting, taking>>

TryDequeue(result) ==
    \/ result = Nothing /\ UNCHANGED vars
    \/ \E p \in Threads :
           /\ queues[p] # <<>>
           /\ Head(queues[p]) = result
           /\ queues' = [queues EXCEPT ![p] = Tail(@)]
           /\ UNCHANGED <<putting, taking>>

IsPrefix(short, long) ==
    /\ Len(short) < Len(long)
    /\ \A i \in 1 .. Len(short) : short[i] = long[i]

EnqueueBulk_Step(thread, items) ==
    /\ IsPrefix(putting[thread], items)
    /\ LET item == items[Len(putting[thread]) + 1]
       IN  /\ putting' = [putting EXCEPT ![thread] = Append(@, item)]
           /\ queues' = [queues EXCEPT ![thread] = Append(@, item)]
    /\ UNCHANGED taking

EnqueueBulk_Done(thread, items) ==
    /\ putting[thread] = items
    /\ putting' = [putting EXCEPT ![thread] = <<>>]
    /\ UNCHANGED <<queues, taking>>

DequeueBulk_Step(thread, result) ==
    /\ IsPrefix(taking[thread], result)
    /\ LET item == result[Len(taking[thread]) + 1]
       IN  \E p \in Threads :
               /\ queues[p] # <<>>
               /\ Head(queues[p]) = item
               /\ queues' = [queues EXCEPT ![p] = Tail(@)]
               /\ taking' = [taking EXCEPT ![thread] = Append(@, item)]
    /\ UNCHANGED putting

DequeueBulk_Done(thread, result) ==
    /\ taking[thread] = result
    /\ taking' = [taking EXCEPT ![thread] = <<>>]
    /\ UNCHANGED <<queues, putting>>

(* Approximate: nothing is promised while others are at work. *)
SizeApprox(result) == result \in Nat /\ UNCHANGED vars
=============================================================================
