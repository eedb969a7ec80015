---------------------------- MODULE BagsTheorems ----------------------------
(* The vocabulary of the theorems about bags, which themselves are for provers only. *)
EXTENDS Bags, TLAPS, FiniteSetTheorems, SequenceTheorems
LOCAL INSTANCE Naturals

(* n times as many copies of everything. *)
Scaling(n, B) == IF n > 0 THEN [e \in DOMAIN B |-> n * B[e]] ELSE EmptyBag

SeqToBag(seq) == [e \in Range(seq) |-> Cardinality({i \in DOMAIN seq : seq[i] = e})]
=============================================================================
