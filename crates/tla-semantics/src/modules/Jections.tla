------------------------------ MODULE Jections ------------------------------
(* Injections, surjections and bijections, under the names of an older proof library. *)

LOCAL Image(f, S) == {f[s] : s \in S}

Injection(S, T) == {f \in [S -> T] : \A r, s \in S : r # s => f[r] # f[s]}
Surjection(S, T) == {f \in [S -> T] : T \subseteq Image(f, S)}
Bijection(S, T) == {f \in Injection(S, T) : T \subseteq Image(f, S)}

ExistsInjection(S, T) == Injection(S, T) # {}
ExistsSurjection(S, T) == Surjection(S, T) # {}
ExistsBijection(S, T) == Bijection(S, T) # {}

JectionInverse(S, T, M) == [t \in T |-> CHOOSE s \in S : t = M[s]]

(* The elements of S that M sends into B; T, the codomain, only completes the picture. *)
JectionInverseSets(S, T, M, B) == {s \in S : M[s] \in B}
=============================================================================
