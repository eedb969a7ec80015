---------------------------- MODULE FiniteSetsExt ----------------------------
(* More operators on finite sets. FoldSet, Quantify and kSubset are native. *)
EXTENDS Integers, FiniteSets, Folds, Functions

(* The least element comes first: op(xn, ... op(x2, op(x1, base))). *)
FoldSet(op(_, _), base, set) ==
    LET RECURSIVE Fold(_, _)
        Fold(rest, folded) ==
            IF rest = {} THEN folded
            ELSE LET e == CHOOSE x \in rest : TRUE IN Fold(rest \ {e}, op(e, folded))
    IN  Fold(set, base)

ReduceSet(op(_, _), set, acc) == FoldSet(op, acc, set)

SumSet(set) == FoldSet(+, 0, set)
ProductSet(set) == FoldSet(LAMBDA e, product : e * product, 1, set)
MapThenSumSet(op(_), set) == FoldSet(LAMBDA e, sum : op(e) + sum, 0, set)

FlattenSet(S) == UNION S

SymDiff(A, B) == (A \cup B) \ (A \cap B)

(* How many elements satisfy P. *)
Quantify(S, P(_)) == Cardinality({e \in S : P(e)})

kSubset(k, S) == {T \in SUBSET S : k = Cardinality(T)}

Max(S) == CHOOSE most \in S : \A e \in S : most \geq e
Min(S) == CHOOSE least \in S : \A e \in S : least \leq e

(* The sets that arise by taking one element of each of Sets. *)
Choices(Sets) ==
    LET RECURSIVE Pick(_)
        Pick(rest) ==
            IF rest = {} THEN {{}}
            ELSE LET one == CHOOSE S \in rest : TRUE
                 IN  {{e} \cup picked : e \in one, picked \in Pick(rest \ {one})}
    IN  Pick(Sets)

(* The element that satisfies P, provided that no other does. *)
ChooseUnique(S, P(_)) == CHOOSE e \in S : P(e) /\ ~ \E other \in S \ {e} : P(other)
==============================================================================
