----------------------------- MODULE Producers -----------------------------
(* A queue with several producers that is not linearizable: each producer's *)
(* items come out in the order in which it put them in, and nothing is said *)
(* about the items of different producers. Bulk operations are not atomic:  *)
(* they put or take their items one by one (X_Step), and then return        *)
(* (X_Done).                                                                *)
EXTENDS Naturals, Sequences

CONSTANTS Producers, Consumers

VARIABLES
    queues,     \* for each producer, what it has put in and nobody has taken
    putting,    \* for each producer, what its current operation has put in
    taking      \* for each consumer, what its current operation has taken

Init ==
    /\ queues = [producer \in Producers |-> <<>>]
    /\ putting = [producer \in Producers |-> <<>>]
    /\ taking = [consumer \in Consumers |-> <<>>]

IsPrefixOf(short, long) ==
    /\ Len(short) < Len(long)
    /\ \A i \in 1 .. Len(short) : short[i] = long[i]

Put_Step(producer, items) ==
    /\ IsPrefixOf(putting[producer], items)
    /\ LET item == items[Len(putting[producer]) + 1]
       IN  /\ putting' = [putting EXCEPT ![producer] = Append(@, item)]
           /\ queues' = [queues EXCEPT ![producer] = Append(@, item)]
    /\ UNCHANGED taking

Put_Done(producer, items) ==
    /\ putting[producer] = items
    /\ putting' = [putting EXCEPT ![producer] = <<>>]
    /\ UNCHANGED <<queues, taking>>

Take_Step(consumer, items) ==
    /\ IsPrefixOf(taking[consumer], items)
    /\ LET item == items[Len(taking[consumer]) + 1]
       IN  \E producer \in Producers :
               /\ queues[producer] # <<>>
               /\ Head(queues[producer]) = item
               /\ queues' = [queues EXCEPT ![producer] = Tail(@)]
               /\ taking' = [taking EXCEPT ![consumer] = Append(@, item)]
    /\ UNCHANGED putting

Take_Done(consumer, items) ==
    /\ taking[consumer] = items
    /\ taking' = [taking EXCEPT ![consumer] = <<>>]
    /\ UNCHANGED <<queues, putting>>
=============================================================================
