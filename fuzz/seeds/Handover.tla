---- MODULE Handover ----
(* The same lock with a mistake: drawing a number is two steps, so two clients can draw the same one. *)
EXTENDS Naturals
CONSTANT N

(* --algorithm Handover
variables next = 0, serving = 0;

process client \in 1..N
variables mine = 0;
begin
  take:  mine := next;
  bump:  next := mine + 1;
  enter: await serving = mine;
  leave: serving := serving + 1;
end process;
end algorithm *)

Exclusion == \A p, q \in 1..N : pc[p] = "leave" /\ pc[q] = "leave" => p = q
====
