----------------------------- MODULE FiniteSets -----------------------------
(* Both operators are native. *)
LOCAL INSTANCE Naturals
LOCAL INSTANCE Sequences

IsFiniteSet(S) == \E listing \in Seq(S) : S = {listing[i] : i \in DOMAIN listing}

Cardinality(S) ==
    LET RECURSIVE Count(_)
        Count(T) == IF T = {} THEN 0 ELSE Count(T \ {CHOOSE e \in T : TRUE}) + 1
    IN  Count(S)
=============================================================================
