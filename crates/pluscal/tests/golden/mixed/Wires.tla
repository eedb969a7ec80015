---- MODULE Wires ----
(* A set of initial values that depends on other variables of the process. *)
EXTENDS Naturals
(* --algorithm Wires {
  variables money = [p \in {"a", "b"} |-> 3];
  process (wire \in 1..2)
    variables from = "a", to = "b", amount \in 1..money[from];
  {
    take: await amount <= money[from];
          money[from] := money[from] - amount;
    give: money[to] := money[to] + amount;
  }
} *)
Kept == money["a"] + money["b"] <= 6
====
