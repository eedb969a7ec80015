--------------------------------- MODULE TLC ---------------------------------
(* Talking to the model checker, and small conveniences. Every operator is native. An operand *)
(* that does not change the value (what is printed, say) still occurs in the definition, so   *)
(* that the level of an application is the level of its operands.                             *)
LOCAL INSTANCE Naturals
LOCAL INSTANCE Sequences
LOCAL INSTANCE FiniteSets

LOCAL Native == CHOOSE meaning : TRUE

(* Equals val, having printed out and val. *)
Print(out, val) == Native["Print"][out, val]

(* Equals TRUE, having printed out. *)
PrintT(out) == Native["PrintT"][out]

(* Equals TRUE, or ends the run with the message out. *)
Assert(val, out) == IF val = TRUE THEN TRUE ELSE Native["Assert"][out]

(* Seconds, modulo the range of integers. *)
JavaTime == Native["JavaTime"]

(* Registers (by number) and the checker's own figures (by name). *)
TLCGet(i) == Native["TLCGet"][i]
TLCSet(i, v) == Native["TLCSet"][i, v]

d :> e == [key \in {d} |-> e]

(* Where both have a value, the left one wins. *)
f @@ g == [x \in DOMAIN f \cup DOMAIN g |-> IF x \in DOMAIN f THEN f[x] ELSE g[x]]

Permutations(S) == {p \in [S -> S] : S = {p[x] : x \in S}}

(* Insertion: an element passes those it must come before, starting from the end. *)
SortSeq(s, Op(_, _)) ==
    LET RECURSIVE Insert(_, _), Sorted(_)
        Insert(e, sorted) ==
            LET n == Len(sorted)
            IN  IF n > 0 /\ Op(e, sorted[n])
                THEN Append(Insert(e, SubSeq(sorted, 1, n - 1)), sorted[n])
                ELSE Append(sorted, e)
        Sorted(n) == IF n = 0 THEN <<>> ELSE Insert(s[n], Sorted(n - 1))
    IN  Sorted(Len(s))

RandomElement(s) == CHOOSE e \in s : TRUE

(* A set that contains every value. *)
Any == Native["Any"]

(* v as a person would write it. *)
ToString(v) == Native["ToString"][v]

TLCEval(v) == v
==============================================================================
