------------------------------ MODULE BagsExt ------------------------------
(* More operators on bags. FoldBag is native. *)
LOCAL INSTANCE Bags
LOCAL INSTANCE Integers
LOCAL INSTANCE Folds

BagAdd(B, x) == B (+) SetToBag({x})
BagRemove(B, x) == B (-) SetToBag({x})
BagRemoveAll(B, x) == [e \in DOMAIN B \ {x} |-> B[e]]

(* The copies of an element are folded from the left, starting from base; these results are then folded *)
(* from the right, least element outermost. choose has no say: it is there for the sake of the signature. *)
MapThenFoldBag(op(_, _), base, f(_), choose(_), B) ==
    LET RECURSIVE Copies(_, _)
        Copies(x, n) == CASE n = 1 -> op(base, f(x))
                          [] n > 1 -> op(Copies(x, n - 1), f(x))
    IN  MapThenFoldSet(op, base, LAMBDA x : Copies(x, B[x]), LAMBDA S : CHOOSE x \in S : TRUE, DOMAIN B)

(* op(... op(op(base, x1), x1) ..., xn), every copy in turn, least element first. *)
FoldBag(op(_, _), base, B) ==
    LET RECURSIVE Repeat(_, _, _), Fold(_, _)
        Repeat(x, n, folded) == CASE n = 1 -> op(folded, x)
                                  [] n > 1 -> Repeat(x, n - 1, op(folded, x))
        Fold(rest, folded) ==
            IF rest = {} THEN folded
            ELSE LET x == CHOOSE e \in rest : TRUE IN Fold(rest \ {x}, Repeat(x, B[x], folded))
    IN  Fold(DOMAIN B, base)

SumBag(B) == FoldBag(+, 0, B)
ProductBag(B) == FoldBag(LAMBDA product, x : product * x, 1, B)
=============================================================================
