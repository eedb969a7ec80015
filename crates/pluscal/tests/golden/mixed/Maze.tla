---- MODULE Maze ----
(* `either` inside `while`, jumps out of it and back, several labels in branches, and a label after an `if` with jumps. *)
EXTENDS Naturals, TLC
(* --fair algorithm Maze
variables at = 1, seen = {1}, keys = 0;
define
  Walls == {<<1, 3>>, <<2, 4>>}
  Free(a, b) == a # b /\ <<a, b>> \notin Walls /\ <<b, a>> \notin Walls
end define;
macro go(to) begin
  await Free(at, to);
  at := to;
  seen := seen \cup {to};
end macro;
begin
  walk: while at # 4 do
          either
            with next \in 1..4 do go(next); end with;
            if keys < 2 /\ at = 3 then
              found: keys := keys + 1;
                     goto walk;
            end if;
  back:     if at = 2 then goto lost end if;
          or
            await keys = 2;
            leap: at := 4 || keys := 0;
                  goto out;
          or
            await at = 2;
            goto lost;
          end either;
        end while;
        goto out;
  lost: at := 1;
        goto walk;
  out:  assert at = 4;
        print seen;
end algorithm *)
====
