------------------------------ MODULE Apalache ------------------------------
(* The annotations and folds of the symbolic model checker of that name, in their plain meaning. *)
LOCAL INSTANCE Integers
LOCAL INSTANCE Sequences

(* An equation that is meant as an assignment. *)
__x := __e == __x = __e

(* Any value of bounded size there; the empty set here. *)
Gen(__size) == {}

Guess(__S) == CHOOSE __e \in __S : TRUE

(* The function whose graph is a set of pairs. *)
SetAsFun(__S) ==
    [__x \in {__pair[1] : __pair \in __S} |->
        CHOOSE __y \in {__pair[2] : __pair \in __S} : <<__x, __y>> \in __S]

MkSeq(__N, __F(_)) == [__i \in 1..__N |-> __F(__i)]

FunAsSeq(__fn, __len, __capacity) == SubSeq(MkSeq(__capacity, LAMBDA __i : __fn[__i]), 1, __len)

(* Hints to the solver, without any effect on the value. *)
Skolem(__e) == __e
Expand(__S) == __S
ConstCardinality(__cardExpr) == __cardExpr

(* Op(... Op(Op(v, x1), x2) ..., xn), least element first. *)
ApaFoldSet(__Op(_, _), __v, __S) ==
    LET RECURSIVE __Fold(_, _)
        __Fold(__folded, __rest) ==
            IF __rest = {} THEN __folded
            ELSE LET __e == CHOOSE __x \in __rest : TRUE
                 IN  __Fold(__Op(__folded, __e), __rest \ {__e})
    IN  __Fold(__v, __S)

ApaFoldSeqLeft(__Op(_, _), __v, __seq) ==
    LET RECURSIVE __Upto(_)
        __Upto(__n) == IF __n = 0 THEN __v ELSE __Op(__Upto(__n - 1), __seq[__n])
    IN  __Upto(Len(__seq))

(* F(... F(F(x, 1), 2) ..., N) *)
Repeat(__F(_, _), __N, __x) ==
    LET RECURSIVE __Upto(_)
        __Upto(__n) == IF __n \leq 0 THEN __x ELSE __F(__Upto(__n - 1), __n)
    IN  __Upto(__N)
=============================================================================
