------------------------------ MODULE Functions ------------------------------
(* Operators on functions. IsInjective, AntiFunction and the folds are native. *)
EXTENDS Integers, Folds

Range(f) == {f[x] : x \in DOMAIN f}

Restrict(f, S) == [x \in S |-> f[x]]
RestrictDomain(f, Test(_)) == [x \in {y \in DOMAIN f : Test(y)} |-> f[x]]
RestrictValues(f, Test(_)) == [x \in {y \in DOMAIN f : Test(f[y])} |-> f[x]]

IsRestriction(narrow, wide) ==
    DOMAIN narrow \subseteq DOMAIN wide /\ \A x \in DOMAIN narrow : wide[x] = narrow[x]

Pointwise(f, g, T(_, _)) == [x \in DOMAIN f |-> T(f[x], g[x])]

(* What f does not map to goes back to any element of S. *)
Inverse(f, S, T) ==
    LET image == Range(f)
    IN  [t \in T |-> CHOOSE s \in S : t \notin image \/ f[s] = t]

AntiFunction(f) == Inverse(f, DOMAIN f, Range(f))

IsInjective(f) == \A x, y \in DOMAIN f : x # y => f[x] # f[y]

Injection(S, T) == {f \in [S -> T] : IsInjective(f)}
Surjection(S, T) == {f \in [S -> T] : T \subseteq Range(f)}
Bijection(S, T) == {f \in Injection(S, T) : T \subseteq Range(f)}

ExistsInjection(S, T) == Injection(S, T) # {}
ExistsSurjection(S, T) == Surjection(S, T) # {}
ExistsBijection(S, T) == Bijection(S, T) # {}

(* The least index comes first: op(fun[in], ... op(fun[i2], op(fun[i1], base))). *)
FoldFunctionOnSet(op(_, _), base, fun, indices) ==
    LET RECURSIVE Fold(_, _)
        Fold(rest, folded) ==
            IF rest = {} THEN folded
            ELSE LET i == CHOOSE x \in rest : TRUE IN Fold(rest \ {i}, op(fun[i], folded))
    IN  Fold(indices, base)

FoldFunction(op(_, _), base, fun) == FoldFunctionOnSet(op, base, fun, DOMAIN fun)

SumFunctionOnSet(fun, indices) == FoldFunctionOnSet(+, 0, fun, indices)
SumFunction(fun) == FoldFunction(+, 0, fun)
==============================================================================
