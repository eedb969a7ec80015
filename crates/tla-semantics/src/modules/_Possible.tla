---- MODULE _Possible ----
(* How often the formulas under _POSSIBLE were satisfied, for a POSTCONDITION. *)
LOCAL INSTANCE TLC
LOCAL INSTANCE Naturals

_Counts == TLCGet("all:named")["s:_possible"][1]
_CheckName(name) == name \in DOMAIN _Counts /\ _Counts[name] > 0
_PrintCounts == PrintT(_Counts)
====
