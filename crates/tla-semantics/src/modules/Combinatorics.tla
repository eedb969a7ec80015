--------------------------- MODULE Combinatorics ---------------------------
(* Counting. Both are native. *)
EXTENDS Naturals

factorial[n \in Nat] == IF n < 2 THEN 1 ELSE factorial[n - 1] * n

(* The number of subsets with k elements of a set with n. No intermediate result is larger than it must be. *)
choose(n, k) ==
    LET RECURSIVE Binomial(_, _)
        Binomial(m, j) == CASE j = 0 -> 1
                            [] j > 0 -> (m * Binomial(m - 1, j - 1)) \div j
    IN  Binomial(n, k)
=============================================================================
