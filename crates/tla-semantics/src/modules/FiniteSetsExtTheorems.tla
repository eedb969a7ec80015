----------------------- MODULE FiniteSetsExtTheorems ------------------------
(* The theorems about finite sets are for provers; checking a specification needs none of them. *)
EXTENDS FiniteSetsExt, FiniteSets, Integers
=============================================================================
