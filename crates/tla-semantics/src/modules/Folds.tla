------------------------------- MODULE Folds -------------------------------
(* The fold that the others are instances of. *)

(* op(f(x1), op(f(x2), ... op(f(xn), base))), where x1 is what choose takes from S, x2 what it takes *)
(* from the rest, and so on.                                                                         *)
MapThenFoldSet(op(_, _), base, f(_), choose(_), S) ==
    LET RECURSIVE Fold(_)
        Fold(rest) == IF rest = {} THEN base
                      ELSE LET x == choose(rest) IN op(f(x), Fold(rest \ {x}))
    IN  Fold(S)
=============================================================================
