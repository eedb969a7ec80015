-------------------------- MODULE FunctionTheorems --------------------------
(* The theorems about functions are for provers; checking a specification needs none of them. *)
EXTENDS Functions, Integers, FiniteSets
=============================================================================
