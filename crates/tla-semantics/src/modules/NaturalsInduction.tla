------------------------- MODULE NaturalsInduction -------------------------
(* The vocabulary for recursive functions on the natural numbers; the theorems are for provers only. *)
(* In each pair, the hypothesis is how a recursive definition is read, the conclusion what it is     *)
(* meant to say.                                                                                     *)
EXTENDS Integers

LOCAL Unfolded(f, domain, least, first, Def(_, _)) ==
    [k \in domain |-> IF k = least THEN first ELSE Def(f[k - 1], k)]

NatInductiveDefHypothesis(f, f0, Def(_, _)) == f = CHOOSE g : g = Unfolded(g, Nat, 0, f0, Def)
NatInductiveDefConclusion(f, f0, Def(_, _)) == f = Unfolded(f, Nat, 0, f0, Def)

FiniteNatInductiveDefHypothesis(f, c, Def(_, _), m, n) == f = CHOOSE g : g = Unfolded(g, m..n, m, c, Def)
FiniteNatInductiveDefConclusion(f, c, Def(_, _), m, n) == f = Unfolded(f, m..n, m, c, Def)
=============================================================================
