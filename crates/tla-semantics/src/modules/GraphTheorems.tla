--------------------------- MODULE GraphTheorems ----------------------------
(* The theorems about graphs are for provers; checking a specification needs none of them. *)
EXTENDS Graphs, Sequences
=============================================================================
