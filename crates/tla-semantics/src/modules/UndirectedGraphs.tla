-------------------------- MODULE UndirectedGraphs --------------------------
(* Undirected graphs: records of a set node and a set edge of sets {m, n} of nodes. SimplePath, *)
(* AreConnectedIn and ConnectedComponents are native.                                           *)
LOCAL INSTANCE Naturals
LOCAL INSTANCE Sequences
LOCAL INSTANCE SequencesExt
LOCAL INSTANCE FiniteSets
LOCAL INSTANCE Folds
LOCAL INSTANCE Functions

IsUndirectedGraph(G) ==
    G = [edge |-> G.edge, node |-> G.node] /\ \A e \in G.edge : \E m, n \in G.node : e = {m, n}

IsLoopFreeUndirectedGraph(G) ==
    G = [edge |-> G.edge, node |-> G.node] /\ \A e \in G.edge : \E m, n \in G.node : m # n /\ e = {m, n}

(* The graphs with exactly the nodes S. *)
UndirectedGraphs(S) == [edge : SUBSET {{m, n} : m, n \in S}, node : {S}]

UndirectedSubgraph(G) ==
    {H \in [edge : SUBSET G.edge, node : SUBSET G.node] : IsUndirectedGraph(H)}

LOCAL Neighbours(G, n) == {m \in G.node : {m, n} \in G.edge}

Path(G) == {p \in Seq(G.node) : Len(p) > 0 /\ \A i \in 2..Len(p) : {p[i - 1], p[i]} \in G.edge}

(* The paths that meet no node twice, each grown from a shorter one. *)
SimplePath(G) ==
    LET RECURSIVE Grown(_)
        Grown(p) == {p} \cup UNION {Grown(Append(p, n)) : n \in Neighbours(G, Last(p)) \ ToSet(p)}
    IN  UNION {Grown(<<n>>) : n \in G.node}

(* The nodes met on the way from n, itself included. *)
LOCAL ComponentOf(G, n) ==
    LET RECURSIVE Spread(_, _)
        Spread(met, latest) ==
            IF latest = {} THEN met
            ELSE LET next == UNION {Neighbours(G, m) : m \in latest} \ met IN Spread(met \cup next, next)
    IN  Spread({n}, {n})

AreConnectedIn(m, n, G) == m \in G.node /\ n \in G.node /\ n \in ComponentOf(G, m)

ConnectedComponents(G) == {ComponentOf(G, n) : n \in G.node}

IsStronglyConnected(G) == ConnectedComponents(G) = {G.node}
=============================================================================
