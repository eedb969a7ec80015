------------------------------ MODULE RealTime ------------------------------
(* Bounds on how long an action may and must stay enabled before it happens. *)
EXTENDS Reals

VARIABLE now

(* Between D and E units of time pass, with <<A>>_v enabled all along, before a step of it. *)
RTBound(A, v, D, E) ==
    LET Elapsed(clock) ==
            clock' = IF <<A>>_v \/ ~(ENABLED <<A>>_v)' THEN 0 ELSE clock + (now' - now)
        Runs(clock) == clock = 0 /\ [][Elapsed(clock)]_<<clock, v, now>>
        NotTooEarly(clock) == [][A => clock \geq D]_v
        NotTooLate(clock) == [](clock \leq E)
    IN  \EE clock : Runs(clock) /\ NotTooEarly(clock) /\ NotTooLate(clock)

(* Time only grows, grows without bound, and leaves v alone while it passes. *)
RTnow(v) ==
    LET Passes == UNCHANGED v /\ now' \in {t \in Real : t > now}
    IN  /\ now \in Real
        /\ [][Passes]_now
        /\ \A t \in Real : WF_now(Passes /\ now' > t)
=============================================================================
