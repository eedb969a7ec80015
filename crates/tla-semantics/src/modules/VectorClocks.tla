---------------------------- MODULE VectorClocks ----------------------------
(* Putting a log in an order that its vector clocks allow. CausalOrder is native. *)
EXTENDS Naturals, Sequences, Functions
LOCAL INSTANCE TLC

(* A process that a clock does not mention stands at zero in it. *)
LOCAL Time(clock, process) == IF process \in DOMAIN clock THEN clock[process] ELSE 0

(* Every entry is later than, or concurrent with, all that stand before it: to some process it is later. *)
IsCausalOrder(log, clock(_)) ==
    \A j \in 1..Len(log) : \A i \in 1..(j - 1) :
        LET earlier == clock(log[i])
            later == clock(log[j])
        IN  \E process \in DOMAIN later : Time(earlier, process) < later[process]

(* The log sorted by how many ticks an entry's clock has seen: whatever precedes it has seen fewer. domain *)
(* says which processes a clock mentions; node, which process an entry is of, is not needed.               *)
CausalOrder(log, clock(_), node(_), domain(_)) ==
    LET RECURSIVE Ticks(_, _)
        Ticks(c, processes) ==
            IF processes = {} THEN 0
            ELSE LET p == CHOOSE q \in processes : TRUE IN c[p] + Ticks(c, processes \ {p})
        seen == [i \in 1..Len(log) |-> Ticks(clock(log[i]), domain(clock(log[i])))]
        sorted == SortSeq([i \in 1..Len(log) |-> i], LAMBDA i, j : seen[i] < seen[j])
    IN  [i \in 1..Len(log) |-> log[sorted[i]]]
=============================================================================
