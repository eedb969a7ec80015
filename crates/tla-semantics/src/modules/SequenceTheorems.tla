-------------------------- MODULE SequenceTheorems --------------------------
(* The theorems about sequences are for provers; checking a specification needs none of them. *)
EXTENDS Sequences, Functions
LOCAL INSTANCE NaturalsInduction
LOCAL INSTANCE TLAPS
=============================================================================
