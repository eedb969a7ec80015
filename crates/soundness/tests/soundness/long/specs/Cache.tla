---- MODULE Cache ----
\* A sequence of pairs, the one that was used last in front.
EXTENDS Integers, Sequences
VARIABLE c
Init == c = <<>>
Others(key) == SelectSeq(c, LAMBDA e : e[1] # key)
IsIn(key) == \E i \in 1..Len(c) : c[i][1] = key
Entry(key) == c[CHOOSE i \in 1..Len(c) : c[i][1] = key]
Cut(s) == IF Len(s) > 3 THEN SubSeq(s, 1, 3) ELSE s
Put(key, value) == c' = Cut(<<<<key, value>>>> \o Others(key))
Get(key, result) ==
    IF IsIn(key) THEN result = Entry(key)[2] /\ c' = <<Entry(key)>> \o Others(key) ELSE result = 0 /\ UNCHANGED c
Has(key, ok) == ok = IsIn(key) /\ UNCHANGED c
Drop(key, ok) == ok = IsIn(key) /\ c' = Others(key)
====
