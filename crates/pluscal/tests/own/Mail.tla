---- MODULE Mail ----
EXTENDS Naturals, Sequences, TLC
self0 == 1
(* PlusCal options (-termination) *)
(* --algorithm Mail
variables box = [p \in 1..3 |-> <<>>], seen = [p \in 1..3 |-> [from |-> 0, all |-> {}]];
process Sender = 1
variables k = 0, to = 0;
begin
  s1: while k < 2 do
        k := k + 1;
        with t \in {2, 3} do to := t; box[t] := Append(box[t], [from |-> self0, n |-> k]); end with;
  s2:   either await Len(box[to]) = 0; or skip; end either;
      end while;
end process;
process Taker \in {2, 3}
variables m = [from |-> 0, n |-> 0];
begin
  t1: while TRUE do
        await box[self] # <<>>;
        m := Head(box[self]) || box[self] := Tail(box[self]);
        seen[self].from := m.from || seen[self].all := @ \cup {m.n};
  t2:   assert /\ m.n \in seen[self].all
               /\ \/ seen[self].from = 1
                  \/ FALSE;
      end while;
end process;
end algorithm *)

====
