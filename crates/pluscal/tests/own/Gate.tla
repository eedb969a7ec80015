---- MODULE Gate ----
EXTENDS Integers, FiniteSets
CONSTANTS R, W
(* --algorithm Gate {
  variables readers = {}, writer = {}, log = 0;
  define {
    Safe == /\ Cardinality(writer) <= 1
            /\ writer # {} => readers = {}
  }
  macro enterR() { await writer = {}; readers := readers \cup {self} }
  fair process (Reader \in R)
    variables got = -1, turns = 0;
  {
    r1: while (turns < 2) {
          either { enterR(); turns := turns + 1; r2: got := log; r3: readers := readers \ {self} }
          or     { skip; goto Done }
        }
  }
  fair+ process (Writer \in W)
    variable n = 0;
  {
    w1: with (fresh \in {1, 2}, delta = fresh * 2) {
          await readers = {} /\ writer = {};
          if (fresh = 1) { writer := {self} || n := delta }
          else           { writer := {self} || n := delta + 1 };
        };
    w2: log := log + n; n := 0;
    w3: writer := {};
  }
} *)
Ends == <>(\A p \in ProcSet : pc[p] = "Done")
====
