---- MODULE Ticket ----
(* A ticket lock: who wants to enter draws a number and waits until it is called. There is no translation in this file:
   `omnilink mc` makes one in memory, and shows counterexamples in lines of the algorithm. *)
EXTENDS Naturals
CONSTANT N

(* --algorithm Ticket {
  variables next = 0, serving = 0;

  macro draw(ticket) { ticket := next; next := next + 1 }

  fair process (client \in 1..N)
    variables mine = 0;
  {
    take:  draw(mine);
    enter: await serving = mine;
    leave: serving := serving + 1;
  }
} *)

Exclusion == \A p, q \in 1..N : pc[p] = "leave" /\ pc[q] = "leave" => p = q
====
