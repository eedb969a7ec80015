------------------------ MODULE WellFoundedInduction ------------------------
(* The vocabulary for relations (sets of pairs) without infinite descent, and for functions defined *)
(* along them; the theorems are for provers only.                                                   *)
EXTENDS NaturalsInduction

IsTransitivelyClosedOn(R, S) ==
    \A x, y \in S : <<x, y>> \in R => \A z \in S : <<y, z>> \in R => <<x, z>> \in R

IsWellFoundedOn(R, S) == \A f \in [Nat -> S] : \E n \in Nat : <<f[n + 1], f[n]>> \notin R

SetLessThan(x, R, S) == {y \in S : <<y, x>> \in R}

(* The value of Def at x depends on nothing but values below x. *)
WFDefOn(R, S, Def(_, _)) ==
    \A f, g : \A x \in S : (\A y \in SetLessThan(x, R, S) : f[y] = g[y]) => Def(f, x) = Def(g, x)

OpDefinesFcn(f, S, Def(_, _)) == f = CHOOSE g : g = [x \in S |-> Def(g, x)]
WFInductiveDefines(f, S, Def(_, _)) == f = [x \in S |-> Def(f, x)]
WFInductiveUnique(S, Def(_, _)) ==
    \A f, g : WFInductiveDefines(f, S, Def) /\ WFInductiveDefines(g, S, Def) => f = g

(* What belongs to every transitively closed relation on S that contains R there. *)
TransitiveClosureOn(R, S) ==
    {pair \in S \X S :
        \A T \in SUBSET (S \X S) : R \cap (S \X S) \subseteq T /\ IsTransitivelyClosedOn(T, S) => pair \in T}

OpToRel(_ \prec _, S) == {pair \in S \X S : pair[1] \prec pair[2]}

PreImage(f(_), S, R) == {pair \in S \X S : <<f(pair[1]), f(pair[2])>> \in R}

(* The first components decide; where they are equal, the second. *)
LexPairOrdering(R1, R2, S1, S2) ==
    {pair \in (S1 \X S2) \X (S1 \X S2) :
        LET x == pair[1]
            y == pair[2]
        IN  <<x[1], y[1]>> \in R1 \/ (x[1] = y[1] /\ <<x[2], y[2]>> \in R2)}

(* The first of n components that differ decide. *)
LexProductOrdering(R, S, n) ==
    {pair \in [1..n -> S] \X [1..n -> S] :
        \E k \in 1..n : <<pair[1][k], pair[2][k]>> \in R /\ \A i \in 1..(k - 1) : pair[1][i] = pair[2][i]}
=============================================================================
