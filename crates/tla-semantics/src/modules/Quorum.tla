------------------------------- MODULE Quorum -------------------------------
(* The quorum systems of S: non-empty sets of subsets of S, any two of which meet, and which *)
(* contain every superset of their members.                                                  *)
QuorumSystem(S) ==
    {quorums \in SUBSET SUBSET S :
        /\ quorums # {}
        /\ \A p, q \in quorums : p \cap q # {}
        /\ \A q \in quorums : \A larger \in SUBSET S : q \subseteq larger => larger \in quorums}
=============================================================================
