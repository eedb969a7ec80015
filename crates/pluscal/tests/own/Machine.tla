---- MODULE Machine ----
EXTENDS Naturals, Sequences, TLC
(* --algorithm Machine {
  variables out = <<>>, i = 0;
  procedure Emit(v = 0) variables w = v + 1; {
    e1: if (v > 5) { return } else { out := Append(out, w) };
    e2: if (v = 2) { call Emit(7); goto e4 };
    e3: w := w * 2; 
    e4: return;
  }
  {
    top: while (TRUE) {
           i := i + 1;
           if (i = 3) { goto last }
           else if (i = 2) { b: call Emit(2); c: skip }
           else { d: call Emit(i); goto top };
      f:   assert i = 2 /\ out = <<2, 3>>;
         };
    last: assert out = <<2, 3>> /\ stack = <<>>;
  }
} *)
====
