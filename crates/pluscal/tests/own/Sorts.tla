---- MODULE Sorts ----
EXTENDS Naturals, Sequences, TLC
(* --algorithm Sorts
variables a \in [1..4 -> 1..3], original = a, calls = 0;
macro swap(f, i, j) begin f[i] := f[j] || f[j] := f[i]; end macro
procedure Sort(lo = 1, hi = 0)
variables p = lo, k = lo;
begin
  Start: calls := calls + 1;
         if lo >= hi then return; end if;
  Part:  while k < hi do
           if a[k] < a[hi] then swap(a, k, p); p := p + 1; end if;
           k := k + 1;
         end while;
         swap(a, p, hi);
  Left:  call Sort(lo, p - 1);
  Right: call Sort(p + 1, hi);
         return;
end procedure;
begin
  Main: call Sort(1, 4);
  Check: assert \A i \in 1..3 : a[i] <= a[i+1];
         assert \A v \in 1..3 : \E f \in [1..4 -> 1..4] :
                  /\ \A i, j \in 1..4 : i # j => f[i] # f[j]
                  /\ \A i \in 1..4 : a[i] = original[f[i]];
         assert stack = <<>> /\ lo = 1 /\ hi = 0;
end algorithm *)
====
