--------------------------- MODULE Randomization ---------------------------
(* Pseudo-random subsets. Native, but for TestRandomSetOfSubsets; the bodies say which *)
(* answers are possible.                                                              *)
LOCAL INSTANCE Naturals
LOCAL INSTANCE FiniteSets

(* A subset of S with k elements. *)
RandomSubset(k, S) == CHOOSE T \in SUBSET S : k = Cardinality(T)

(* At most k subsets of S, with n elements each on average. *)
RandomSetOfSubsets(k, n, S) ==
    CHOOSE chosen \in SUBSET SUBSET S : Cardinality(chosen) \leq k /\ n \leq Cardinality(S)

(* How many different subsets five tries give. *)
TestRandomSetOfSubsets(k, n, S) ==
    [attempt \in 1..5 |-> Cardinality(RandomSetOfSubsets(k, n, S))]
=============================================================================
