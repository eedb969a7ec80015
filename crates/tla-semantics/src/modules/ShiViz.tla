------------------------------- MODULE ShiViz -------------------------------
(* For the steps of a PlusCal counterexample: which process took a step, and vector *)
(* clocks that count each process's steps.                                         *)
LOCAL INSTANCE Integers
LOCAL INSTANCE Json
LOCAL INSTANCE TLC
INSTANCE Toolbox

(* The process whose pc changed last, up to the i-th state. *)
LOCAL HostAt(i) ==
    LET RECURSIVE Mover(_)
        Mover(k) ==
            CASE k = 1 -> "--"
              [] k > 1 ->
                    LET before == _TETrace[k - 1].pc
                        after == _TETrace[k].pc
                    IN  IF before = after THEN Mover(k - 1)
                        ELSE CHOOSE p \in DOMAIN before : before[p] # after[p]
    IN  Mover(i)

Host == HostAt(_TEPosition)

Clock ==
    LET RECURSIVE Ticks(_, _)
        Ticks(p, k) == IF k = 1 THEN 0 ELSE Ticks(p, k - 1) + (IF HostAt(k) = p THEN 1 ELSE 0)
    IN  ToJsonObject([p \in DOMAIN _TETrace[_TEPosition].pc |-> Ticks(p, _TEPosition)])
=============================================================================
