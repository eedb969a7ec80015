----------------------------- MODULE JectionThm -----------------------------
(* The theorems about these functions are for provers; checking a specification needs none of them. *)
EXTENDS Jections
=============================================================================
