------------------------- MODULE TransitiveClosure -------------------------
(* The transitive closure of a set of pairs. Native. *)

Warshall(R) ==
    LET RECURSIVE Through(_)
        Through(stones) ==
            IF stones = {} THEN R
            ELSE LET stone == CHOOSE s \in stones : TRUE
                     fewer == Through(stones \ {stone})
                     sources == {p[1] : p \in {q \in fewer : q[2] = stone}}
                     targets == {p[2] : p \in {q \in fewer : q[1] = stone}}
                 IN  fewer \cup (sources \X targets)
    IN  Through({p[1] : p \in R} \cup {p[2] : p \in R})
=============================================================================
