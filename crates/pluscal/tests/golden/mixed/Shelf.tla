---- MODULE Shelf ----
(* The same name for a label, a local of two processes, a parameter and a local of a procedure; values over several lines; a single process
   beside a set; `self` in a procedure; a while in a procedure. *)
EXTENDS Integers, Sequences
(* --algorithm Shelf {
  variables shelf = [place \in 1..2 |-> <<>>], full = FALSE;
  procedure put(item = 0, slot = 1)
    variable count = 0;
  {
    item:  while (Len(shelf[slot]) >= 1 /\ count < 2) { count := count + 1; slot := (slot % 2) + 1; };
    store: if (Len(shelf[slot]) < 1)
             shelf[slot] := Append(shelf[slot],
                                   [by |-> self,
                                    what |-> item]);
           else full := \/ full
                        \/ count >= 2;
           return;
  }
  process (left \in {1, 2})
    variables item = 10 * self, count = 0;
  {
    put:   call put(item, 1);
    item:  full := FALSE;
           item := item + 1 || count := count + 2;
  }
  process (right = 7)
    variables count = 0;
  {
    count: count := count + 1;
           call put(count, 2);
    done:  when shelf[2] # <<>>;
           shelf[2] := Tail(shelf[2]);
  }
} *)
====
