------------------------------ MODULE Relation ------------------------------
(* Binary relations on a set S, as functions from pairs to truth values; or, in the *)
(* ...Under operators, as operators.                                                 *)
EXTENDS Naturals, FiniteSets

LOCAL AsFunction(op(_, _), S) == [pair \in S \X S |-> op(pair[1], pair[2])]

IsReflexive(R, S) == \A e \in S : R[e, e]
IsReflexiveUnder(op(_, _), S) == IsReflexive(AsFunction(op, S), S)

IsIrreflexive(R, S) == \A e \in S : ~R[e, e]
IsIrreflexiveUnder(op(_, _), S) == IsIrreflexive(AsFunction(op, S), S)

IsSymmetric(R, S) == \A d, e \in S : R[d, e] <=> R[e, d]
IsSymmetricUnder(op(_, _), S) == IsSymmetric(AsFunction(op, S), S)

IsAntiSymmetric(R, S) == \A d, e \in S : R[d, e] /\ R[e, d] => d = e
IsAntiSymmetricUnder(op(_, _), S) == IsAntiSymmetric(AsFunction(op, S), S)

IsAsymmetric(R, S) == \A d, e \in S : R[d, e] => ~R[e, d]
IsAsymmetricUnder(op(_, _), S) == IsAsymmetric(AsFunction(op, S), S)

IsTransitive(R, S) == \A d, e \in S : R[d, e] => \A f \in S : R[e, f] => R[d, f]
IsTransitiveUnder(op(_, _), S) == IsTransitive(AsFunction(op, S), S)

IsStrictlyPartiallyOrdered(R, S) == IsIrreflexive(R, S) /\ IsAntiSymmetric(R, S) /\ IsTransitive(R, S)
IsStrictlyPartiallyOrderedUnder(op(_, _), S) == IsStrictlyPartiallyOrdered(AsFunction(op, S), S)

IsPartiallyOrdered(R, S) == IsReflexive(R, S) /\ IsAntiSymmetric(R, S) /\ IsTransitive(R, S)
IsPartiallyOrderedUnder(op(_, _), S) == IsPartiallyOrdered(AsFunction(op, S), S)

IsStrictlyTotallyOrdered(R, S) ==
    IsStrictlyPartiallyOrdered(R, S) /\ \A d, e \in S : d = e \/ R[d, e] \/ R[e, d]
IsStrictlyTotallyOrderedUnder(op(_, _), S) == IsStrictlyTotallyOrdered(AsFunction(op, S), S)

IsTotallyOrdered(R, S) == IsPartiallyOrdered(R, S) /\ \A d, e \in S : R[d, e] \/ R[e, d]
IsTotallyOrderedUnder(op(_, _), S) == IsTotallyOrdered(AsFunction(op, S), S)

(* Warshall: allow one more element as a stepping stone at a time. *)
TransitiveClosure(R, S) ==
    LET RECURSIVE Through(_)
        Through(stones) ==
            IF stones = {} THEN [d, e \in S |-> R[d, e]]
            ELSE LET stone == CHOOSE s \in stones : TRUE
                     fewer == Through(stones \ {stone})
                 IN  [d, e \in S |-> fewer[d, e] \/ (fewer[d, stone] /\ fewer[stone, e])]
    IN  Through(S)

ReflexiveTransitiveClosure(R, S) ==
    LET closure == TransitiveClosure(R, S) IN [d, e \in S |-> d = e \/ closure[d, e]]

(* Whether everything is related, directly or not, to everything. *)
IsConnected(R, S) ==
    LET closure == ReflexiveTransitiveClosure(R, S) IN \A d, e \in S : closure[d, e]
=============================================================================
