---------------------------- MODULE VectorClocks ----------------------------
(* Putting a log in an order that its vector clocks allow. CausalOrder is native. *)
EXTENDS Naturals, Sequences, Functions

(* A process that a clock does not mention stands at zero in it. *)
LOCAL Time(clock, process) == IF process \in DOMAIN clock THEN clock[process] ELSE 0

LOCAL Precedes(c, d) ==
    LET processes == DOMAIN c \cup DOMAIN d
    IN  /\ \A p \in processes : Time(c, p) \leq Time(d, p)
        /\ \E p \in processes : Time(c, p) < Time(d, p)

LOCAL Concurrent(c, d) ==
    LET processes == DOMAIN c \cup DOMAIN d
    IN  /\ \E p \in processes : Time(c, p) < Time(d, p)
        /\ \E p \in processes : Time(c, p) > Time(d, p)

(* Every entry comes after, or is concurrent with, all that stand before it. *)
IsCausalOrder(log, clock(_)) ==
    \A j \in 1..Len(log) : \A i \in 1..(j - 1) :
        LET earlier == clock(log[i])
            later == clock(log[j])
        IN  Precedes(earlier, later) \/ Concurrent(earlier, later)

(* The log reordered: always the first remaining entry that no other remaining entry precedes. node  *)
(* (which process an entry is of) and domain (which processes a clock mentions) are there to help a  *)
(* native algorithm.                                                                                 *)
CausalOrder(log, clock(_), node(_), domain(_)) ==
    LET RECURSIVE Ordered(_)
        Ordered(rest) ==
            IF rest = {} THEN <<>>
            ELSE LET free == {j \in rest : \A i \in rest : ~Precedes(clock(log[i]), clock(log[j]))}
                     next == CHOOSE j \in free : \A i \in free : j \leq i
                 IN  <<log[next]>> \o Ordered(rest \ {next})
    IN  Ordered(1..Len(log))
=============================================================================
