---- MODULE Door ----
\* A door opens and closes. A guest may enter while it is open. Weak fairness of Enter does not bring the guest inside, because the
\* door closes again and again; strong fairness does: try --config examples/mc/DoorStrong.cfg.
VARIABLES door, guest
vars == <<door, guest>>

Init == door = "closed" /\ guest = "outside"

Open == door = "closed" /\ door' = "open" /\ UNCHANGED guest
Close == door = "open" /\ door' = "closed" /\ UNCHANGED guest
Enter == door = "open" /\ guest = "outside" /\ guest' = "inside" /\ UNCHANGED door

Next == Open \/ Close \/ Enter

Moves == WF_vars(Open) /\ WF_vars(Close)
Weak == Init /\ [][Next]_vars /\ Moves /\ WF_vars(Enter)
Strong == Init /\ [][Next]_vars /\ Moves /\ SF_vars(Enter)

Opens == []<>(door = "open")
Arrives == guest = "outside" ~> guest = "inside"
====
