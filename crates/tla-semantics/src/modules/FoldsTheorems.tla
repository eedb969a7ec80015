--------------------------- MODULE FoldsTheorems ----------------------------
(* The theorems about folds are for provers; checking a specification needs none of them. *)
EXTENDS Folds, FiniteSets
=============================================================================
