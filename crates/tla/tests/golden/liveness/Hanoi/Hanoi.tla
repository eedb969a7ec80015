---- MODULE Hanoi ----
EXTENDS Integers, Sequences, FiniteSets
CONSTANT N
VARIABLE pegs
RECURSIVE Tower(_)
Tower(n) == IF n = 0 THEN <<>> ELSE Append(Tower(n - 1), n)
RECURSIVE Total(_)
Total(s) == IF s = <<>> THEN 0 ELSE Head(s) + Total(Tail(s))
Init == pegs = [p \in 1..3 |-> IF p = 1 THEN Tower(N) ELSE <<>>]
RECURSIVE MoveFrom(_)
MoveFrom(p) ==
  IF p > 3 THEN FALSE
  ELSE \/ \E q \in (1..3) \ {p} :
             /\ pegs[p] # <<>>
             /\ IF pegs[q] = <<>> THEN TRUE ELSE Head(pegs[p]) < Head(pegs[q])
             /\ pegs' = [pegs EXCEPT ![p] = Tail(@), ![q] = <<Head(pegs[p])>> \o @]
       \/ MoveFrom(p + 1)
Next == MoveFrom(1)
Spec == Init /\ [][Next]_pegs /\ WF_pegs(Next)
Kept == Total(pegs[1]) + Total(pegs[2]) + Total(pegs[3]) = (N * (N + 1)) \div 2
Sorted == \A p \in 1..3 : \A i, j \in DOMAIN pegs[p] : i < j => pegs[p][i] < pegs[p][j]
Unsolved == Len(pegs[3]) # N
Solved == <>(Len(pegs[3]) = N)
====
