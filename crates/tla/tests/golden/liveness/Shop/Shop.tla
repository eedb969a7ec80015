---- MODULE Shop ----
EXTENDS Integers, Sequences
VARIABLES line, served, open
vars == <<line, served, open>>
Counter(self, name) == INSTANCE Till WITH me <- self, label <- name
Init == line = <<>> /\ served = [c \in {"a", "b"} |-> 0] /\ open = TRUE
Arrive == open /\ Len(line) < 3 /\ \E c \in {"a", "b"} : line' = Append(line, c) /\ UNCHANGED <<served, open>>
Close == open' = FALSE /\ UNCHANGED <<line, served>>
Next == Arrive \/ Close \/ \E c \in {"a", "b"} : Counter(c, "till")!Serve
Fair == \A c \in {"a", "b"} : WF_vars(Counter(c, "till")!Serve)
Spec == Init /\ [][Next]_vars /\ Fair
Emptied == [](~open => <>(line = <<>>))
StaysEmpty == <>[](line = <<>>)
Bounded == \A c \in {"a", "b"} : served[c] <= 4
====
