------------------------- MODULE FiniteSetTheorems -------------------------
(* The vocabulary for induction on finite sets; the theorems are for provers only. *)
EXTENDS FiniteSets, Integers, Functions, WellFoundedInduction

FiniteSubsetsOf(S) == {T \in SUBSET S : IsFiniteSet(T)}

StrictSubsetOrdering(S) ==
    {pair \in (SUBSET S) \X (SUBSET S) : pair[1] # pair[2] /\ pair[1] \subseteq pair[2]}
=============================================================================
