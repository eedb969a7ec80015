---- MODULE Log ----
EXTENDS Integers, Sequences
VARIABLE log
Init == log = <<>>
Cut(s) == IF Len(s) > 6 THEN Tail(s) ELSE s
Add(value, result) == LET next == Cut(Append(log, value)) IN result = Len(next) /\ log' = next
ReadAt(at, result) == result = (IF at <= Len(log) THEN log[at] ELSE 0) /\ UNCHANGED log
Trim(to, result) ==
    LET keep == IF to < Len(log) THEN to ELSE Len(log)
    IN result = Len(log) - keep /\ log' = SubSeq(log, Len(log) - keep + 1, Len(log))
Length(result) == result = Len(log) /\ UNCHANGED log
====
