---- MODULE Turns ----
(* Strongly fair and weakly fair processes, labels with + and -, a loop that may give up. *)
EXTENDS Naturals
CONSTANT N
(* --algorithm Turns
variables turn = 0, served = 0, gate = TRUE;
macro pass(to) begin turn := (turn + to) % (N + 1); end macro;
fair+ process guest \in 1..N
variables tries = 0;
begin
  wait:  while tries < 2 do
           either
             take:+ await turn = self /\ gate;
                    served := (served + 1) % 3;
                    pass(1);
           or
             idle:- tries := tries + 1;
                    if tries = 2 then goto rest end if;
           end either;
         end while;
  rest:- skip;
end process;
fair process host = 0
begin
  open:  while TRUE do
  flip:-   gate := ~gate;
  move:+   if turn = 0 then pass(1) elsif turn \in 1..N /\ ~gate then pass(1) else skip end if;
         end while;
end process;
end algorithm *)
Live == []<>(turn = 0)
Rest == \A g \in 1..N : <>(pc[g] = "Done")
====
