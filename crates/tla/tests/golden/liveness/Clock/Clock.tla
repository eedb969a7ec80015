---- MODULE Clock ----
EXTENDS Naturals
VARIABLES hour, minute
Hours == INSTANCE Hour WITH h <- hour
Init == hour \in 0..3 /\ minute = 0
Tick == minute < 2 /\ minute' = minute + 1 /\ UNCHANGED hour
Strike == minute = 2 /\ minute' = 0 /\ hour' = (hour + 1) % 4
Spec == Init /\ [][Tick \/ Strike]_<<hour, minute>> /\ WF_<<hour, minute>>(Tick) /\ WF_<<hour, minute>>(Strike)
Half == Init /\ [][Tick \/ Strike]_<<hour, minute>> /\ WF_<<hour, minute>>(Strike)
Refines == Hours!Spec
Can == []<>(ENABLED Strike) /\ [](ENABLED Tick <=> minute # 2)
====
