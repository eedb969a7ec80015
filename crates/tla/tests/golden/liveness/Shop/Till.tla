---- MODULE Till ----
EXTENDS Integers, Sequences
CONSTANTS me, label
VARIABLES line, served, open
Name == <<label, me>>
Serve ==
  /\ line # <<>> /\ Head(line) = Name[2]
  /\ line' = Tail(line)
  /\ served' = [served EXCEPT ![me] = IF @ < 4 THEN @ + 1 ELSE @]
  /\ open' = open
====
