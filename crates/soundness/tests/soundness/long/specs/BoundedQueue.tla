---- MODULE BoundedQueue ----
EXTENDS Integers, Sequences
VARIABLE q
Init == q = <<>>
Put(value, ok) == ok = (Len(q) < 3) /\ q' = IF ok THEN Append(q, value) ELSE q
Take(result) == IF q = <<>> THEN result = 0 /\ UNCHANGED q ELSE result = Head(q) /\ q' = Tail(q)
Size(result) == Len(q) = result /\ UNCHANGED q
====
