---- MODULE Deepening ----
(* A procedure that calls itself twice, with locals that shadow nothing by name but clash with those of a process; tail calls in both forms. *)
EXTENDS Naturals, Sequences
(* --algorithm Deepening {
  variables visited = <<>>, total = 0;
  define {
    Length == Len(visited)
    Bounded == Length <= 14
  }
  procedure visit(node = 1, depth = 0)
    variables sum = 0, step = 1;
  {
    enter: visited := Append(visited, node);
           if (depth = 0) { total := total + node; return; };
    left:  call visit(2 * node, depth - 1);
    middle: sum := sum + node;
    right: call visit(2 * node + 1, depth - 1);
    leave: step := step + sum;
    tail:  call note(node + step);
           return;
  }
  procedure note(amount = 0) {
    add: total := total + amount;
    out: return;
  }
  process (walker \in 1..2)
    variables sum = self, step = 0;
  {
    start: step := 1;
           call visit(self, 1);
    again: if (sum > 1) { sum := sum - 1; goto start } else step := total;
  }
} *)
====
