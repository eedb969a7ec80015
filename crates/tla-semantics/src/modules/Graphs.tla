------------------------------- MODULE Graphs -------------------------------
(* Directed graphs: records of a set node and a set edge of pairs of nodes. SimplePath, *)
(* AreConnectedIn and IsStronglyConnected are native.                                   *)
EXTENDS Naturals, Sequences, FiniteSets, SequencesExt, Relation

IsDirectedGraph(G) ==
    G = [edge |-> G.edge, node |-> G.node] /\ G.edge \subseteq G.node \X G.node

EmptyGraph == [edge |-> {}, node |-> {}]

(* The graphs with exactly the nodes S. *)
Graphs(S) == [edge : SUBSET (S \X S), node : {S}]

DirectedSubgraph(G) ==
    {H \in [edge : SUBSET G.edge, node : SUBSET G.node] : H.edge \subseteq H.node \X H.node}

Transpose(G) == [edge |-> {<<e[2], e[1]>> : e \in G.edge}, node |-> G.node]

GraphUnion(G, H) == [edge |-> G.edge \cup H.edge, node |-> G.node \cup H.node]

(* A graph that has every edge in both directions counts as undirected. *)
IsUndirectedGraph(G) == IsDirectedGraph(G) /\ \A e \in G.edge : <<e[2], e[1]>> \in G.edge

UndirectedSubgraph(G) == {H \in DirectedSubgraph(G) : IsUndirectedGraph(H)}

IsBipartiteWithPartitions(G, U, V) ==
    /\ U \cap V = {}
    /\ G.node \subseteq U \cup V
    /\ \A e \in G.edge : (e[1] \in U /\ e[2] \in V) \/ (e[1] \in V /\ e[2] \in U)

-----------------------------------------------------------------------------
(* Neighbours *)

Successors(G, n) == {m \in G.node : <<n, m>> \in G.edge}
Predecessors(G, n) == {m \in G.node : <<m, n>> \in G.edge}

AllSuccessors(G, S) == UNION {Successors(G, n) : n \in S}
AllPredecessors(G, S) == UNION {Predecessors(G, n) : n \in S}

OutDegree(G, n) == Cardinality(Successors(G, n))
InDegree(G, n) == Cardinality(Predecessors(G, n))

Roots(G) == {n \in G.node : Predecessors(G, n) = {}}
Leaves(G) == {n \in G.node : Successors(G, n) = {}}

-----------------------------------------------------------------------------
(* Paths *)

Path(G) ==
    {p \in Seq(G.node) : Len(p) > 0 /\ \A i \in 2..Len(p) : <<p[i - 1], p[i]>> \in G.edge}

(* The paths that meet no node twice, each grown from a shorter one. *)
SimplePath(G) ==
    LET RECURSIVE Grown(_)
        Grown(p) == {p} \cup UNION {Grown(Append(p, n)) : n \in Successors(G, Last(p)) \ ToSet(p)}
    IN  UNION {Grown(<<n>>) : n \in G.node}

(* The nodes met on the way from n, itself included. *)
LOCAL ReachableFrom(G, n) ==
    LET RECURSIVE Spread(_, _)
        Spread(met, latest) ==
            IF latest = {} THEN met
            ELSE LET next == AllSuccessors(G, latest) \ met IN Spread(met \cup next, next)
    IN  Spread({n}, {n})

AreConnectedIn(m, n, G) == m \in G.node /\ n \in G.node /\ n \in ReachableFrom(G, m)

IsStronglyConnected(G) == \A n \in G.node : G.node \subseteq ReachableFrom(G, n)

(* Which nodes can be reached from which, in any number of steps: none, or at least one. *)
ConnectionsIn(G) == TransitiveClosure([m, n \in G.node |-> m = n \/ <<m, n>> \in G.edge], G.node)

LOCAL StepsIn(G) == TransitiveClosure([m, n \in G.node |-> <<m, n>> \in G.edge], G.node)

Ancestors(G, n) == LET steps == StepsIn(G) IN {m \in G.node : steps[m, n]}
Descendants(G, n) == LET steps == StepsIn(G) IN {m \in G.node : steps[n, m]}

HasCycle(G) == LET steps == StepsIn(G) IN \E n \in G.node : steps[n, n]

IsDag(G) == IsDirectedGraph(G) /\ ~HasCycle(G)

(* Edges lead towards the root r; every other node has exactly one. *)
IsTreeWithRoot(G, r) ==
    /\ IsDirectedGraph(G)
    /\ r \in G.node
    /\ \A e \in G.edge : e[1] # r /\ \A other \in G.edge : other[1] = e[1] => other = e
    /\ \A n \in G.node : AreConnectedIn(n, r, G)
=============================================================================
