------------------------------ MODULE Toolbox ------------------------------
(* The counterexample under exploration, and where in it the current state stands. *)
LOCAL INSTANCE Naturals
LOCAL INSTANCE FiniteSets
LOCAL INSTANCE TLC

LOCAL Native == CHOOSE meaning : TRUE

(* The states of the counterexample: a sequence of records. *)
_TETrace == Native["_TETrace"]

(* The index of the current state, kept within the counterexample. *)
_TEPosition ==
    LET last == Cardinality(DOMAIN _TETrace)
        level == TLCGet("level")
    IN  CASE level \geq last -> last
          [] level < last /\ level = 0 -> 1
          [] OTHER -> level
=============================================================================
