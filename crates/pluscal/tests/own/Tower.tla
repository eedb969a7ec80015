---- MODULE Tower ----
EXTENDS Naturals, Sequences, TLC
(* --algorithm Tower
variables towers = <<<<1, 2, 3>>, <<>>, <<>>>>, moves = 0;
procedure Move(n, src, dst, via)
begin
  m1: if n > 0 then
        call Move(n - 1, src, via, dst);
  m2:   assert towers[src] # <<>> /\ (towers[dst] = <<>> \/ Head(towers[src]) < Head(towers[dst]));
        towers[dst] := <<Head(towers[src])>> \o towers[dst] || towers[src] := Tail(towers[src]);
        moves := moves + 1;
  m3:   call Move(n - 1, via, dst, src);
        return;
      end if;
  m4: return;
end procedure;
begin
  go: call Move(3, 1, 3, 2);
  ok: assert towers = <<<<>>, <<>>, <<1, 2, 3>>>> /\ moves = 7;
end algorithm *)
====
