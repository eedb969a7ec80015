--------------------------- MODULE QuorumTheorems ---------------------------
(* The theorems about quorums are for provers; checking a specification needs none of them. *)
EXTENDS Quorum, Integers, FiniteSets
=============================================================================
