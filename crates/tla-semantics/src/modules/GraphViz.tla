------------------------------ MODULE GraphViz ------------------------------
(* Native. *)

LOCAL Native == CHOOSE meaning : TRUE

(* The text of the directed graph G in the DOT language, with labels VL for nodes and EL for edges. *)
DotDiGraph(G, VL(_), EL(_)) ==
    Native["DotDiGraph"][G, {VL(n) : n \in G.node}, {EL(e) : e \in G.edge}]
=============================================================================
