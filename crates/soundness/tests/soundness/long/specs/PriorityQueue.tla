---- MODULE PriorityQueue ----
\* How often each value is inside.
EXTENDS Integers, FiniteSets
CONSTANT Keys
VARIABLE many
Init == many = [v \in Keys |-> 0]
Inside == {v \in Keys : many[v] > 0}
Least == IF Inside = {} THEN 0 ELSE CHOOSE v \in Inside : \A w \in Inside : v <= w
RECURSIVE Sum(_)
Sum(S) == IF S = {} THEN 0 ELSE LET v == CHOOSE v \in S : TRUE IN many[v] + Sum(S \ {v})
Insert(value, ok) == ok = (many[value] < 3) /\ many' = IF ok THEN [many EXCEPT ![value] = @ + 1] ELSE many
Poll(result) == result = Least /\ many' = IF result = 0 THEN many ELSE [many EXCEPT ![result] = @ - 1]
Peek(result) == Least = result /\ UNCHANGED many
Size(result) == Sum(Keys) = result /\ UNCHANGED many
====
