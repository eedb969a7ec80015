----------------------------- MODULE Statistics -----------------------------
(* Native. *)
EXTENDS Naturals

LOCAL Native == CHOOSE meaning : TRUE

(* Whether the counts in the function actual are compatible with those in expected: FALSE when Pearson's *)
(* test rejects that at significance level alpha, a string such as "0.05".                               *)
ChiSquare(expected, actual, alpha) == Native["ChiSquare"][expected, actual, alpha]
=============================================================================
