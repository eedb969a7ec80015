------------------------ MODULE SequencesExtTheorems ------------------------
(* The vocabulary for recursive functions on sequences; the theorems are for provers only. In each *)
(* pair, the hypothesis is how a recursive definition is read, the conclusion what it is meant to  *)
(* say.                                                                                            *)
EXTENDS Sequences, SequencesExt, Functions, Integers, WellFoundedInduction

(* The value of Def at a sequence depends on nothing but values at shorter beginnings, or endings, of it. *)
StrictPrefixesDetermineDef(S, Def(_, _)) == WFDefOn(OpToRel(IsStrictPrefix, Seq(S)), Seq(S), Def)
StrictSuffixesDetermineDef(S, Def(_, _)) == WFDefOn(OpToRel(IsStrictSuffix, Seq(S)), Seq(S), Def)

LOCAL Unfolded(f, S, first, Def(_, _), Shorter(_)) ==
    [seq \in Seq(S) |-> IF seq = <<>> THEN first ELSE Def(f[Shorter(seq)], seq)]

TailInductiveDefHypothesis(f, S, f0, Def(_, _)) == f = CHOOSE g : g = Unfolded(g, S, f0, Def, Tail)
TailInductiveDefConclusion(f, S, f0, Def(_, _)) == f = Unfolded(f, S, f0, Def, Tail)

FrontInductiveDefHypothesis(f, S, f0, Def(_, _)) == f = CHOOSE g : g = Unfolded(g, S, f0, Def, Front)
FrontInductiveDefConclusion(f, S, f0, Def(_, _)) == f = Unfolded(f, S, f0, Def, Front)
=============================================================================
