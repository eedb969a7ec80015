--------------------------- MODULE Combinatorics ---------------------------
(* Counting. choose is native, so that factorials need not fit where their quotient does. *)
EXTENDS Naturals

factorial[n \in Nat] == IF n < 2 THEN 1 ELSE factorial[n - 1] * n

(* The number of subsets with k elements of a set with n. *)
choose(n, k) == factorial[n] \div (factorial[k] * factorial[n - k])
=============================================================================
