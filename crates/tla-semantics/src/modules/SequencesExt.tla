---------------------------- MODULE SequencesExt ----------------------------
(* More operators on sequences. README.md lists those that are native; natively, some of them take *)
(* strings as well.                                                                                *)
EXTENDS Sequences, Naturals, FiniteSets, FiniteSetsExt, Folds, Functions, Bags, TLC

-----------------------------------------------------------------------------
(* Sets and sequences *)

ToSet(s) == {s[i] : i \in DOMAIN s}

ToBag(s) == [e \in ToSet(s) |-> Cardinality({i \in DOMAIN s : s[i] = e})]

(* The elements of S, least first. *)
SetToSeq(S) ==
    LET RECURSIVE Listed(_)
        Listed(T) == IF T = {} THEN <<>>
                     ELSE LET e == CHOOSE x \in T : TRUE IN <<e>> \o Listed(T \ {e})
    IN  Listed(S)

(* Every order of the elements of S. *)
SetToSeqs(S) ==
    LET RECURSIVE Orders(_)
        Orders(T) == IF T = {} THEN {<<>>}
                     ELSE UNION {{<<e>> \o rest : rest \in Orders(T \ {e})} : e \in T}
    IN  Orders(S)

SetToSortSeq(S, op(_, _)) == SortSeq(SetToSeq(S), op)

SetToAllKPermutations(S) == UNION {SetToSeqs(T) : T \in SUBSET S}

TupleOf(set, n) == [1..n -> set]
SeqOf(set, n) == UNION {TupleOf(set, length) : length \in 0..n}
BoundedSeq(S, n) == SeqOf(S, n)

-----------------------------------------------------------------------------
(* Searching *)

Contains(s, e) == \E i \in 1..Len(s) : s[i] = e

IsSorted(s, op(_, _)) == \A j \in 1..Len(s) : \A i \in 1..(j - 1) : op(s[i], s[j])

(* The index of the first, or of the last, element that satisfies Test; 0 when none does. *)
SelectInSeq(seq, Test(_)) ==
    LET RECURSIVE Upwards(_)
        Upwards(i) == CASE i > Len(seq) -> 0
                        [] i \leq Len(seq) -> IF Test(seq[i]) THEN i ELSE Upwards(i + 1)
    IN  Upwards(1)

SelectLastInSeq(seq, Test(_)) ==
    LET RECURSIVE Downwards(_)
        Downwards(i) == IF i = 0 THEN 0
                        ELSE IF Test(seq[i]) THEN i ELSE Downwards(i - 1)
    IN  Downwards(Len(seq))

LOCAL ShiftedFrom(from, index) == IF index = 0 THEN 0 ELSE from - 1 + index

(* As above, among the elements from..to only; the index is that in seq. *)
SelectInSubSeq(seq, from, to, Test(_)) ==
    ShiftedFrom(from, SelectInSeq(SubSeq(seq, from, to), Test))

SelectLastInSubSeq(seq, from, to, Test(_)) ==
    ShiftedFrom(from, SelectLastInSeq(SubSeq(seq, from, to), Test))

-----------------------------------------------------------------------------
(* Changing elements *)

Reverse(s) == [i \in 1..Len(s) |-> s[Len(s) + 1 - i]]

Remove(s, e) == SelectSeq(s, LAMBDA x : x # e)

ReplaceAll(s, old, new) == [i \in 1..Len(s) |-> IF s[i] = old THEN new ELSE s[i]]

(* e becomes the element at i; those from i on move up. *)
InsertAt(s, i, e) == SubSeq(s, 1, i - 1) \o <<e>> \o SubSeq(s, i, Len(s))

ReplaceAt(s, i, e) == [s EXCEPT ![i] = e]

RemoveAt(s, i) == SubSeq(s, 1, i - 1) \o SubSeq(s, i + 1, Len(s))

RemoveFirstMatch(s, Test(_)) ==
    LET i == SelectInSeq(s, Test) IN IF i = 0 THEN s ELSE RemoveAt(s, i)

RemoveFirst(s, e) == RemoveFirstMatch(s, LAMBDA x : x = e)

Cons(elt, seq) == <<elt>> \o seq
Snoc(elt, seq) == Append(seq, elt)

Front(s) == SubSeq(s, 1, Len(s) - 1)
Last(s) == s[Len(s)]

-----------------------------------------------------------------------------
(* Prefixes and suffixes *)

IsPrefix(s, t) == Len(s) \leq Len(t) /\ s = SubSeq(t, 1, Len(s))
IsStrictPrefix(s, t) == s # t /\ IsPrefix(s, t)

IsSuffix(s, t) ==
    LET skipped == Len(t) - Len(s)
    IN  skipped \geq 0 /\ \A i \in 1..Len(s) : s[i] = t[skipped + i]
IsStrictSuffix(s, t) == s # t /\ IsSuffix(s, t)

Prefixes(s) == {SubSeq(s, 1, n) : n \in 0..Len(s)}
Suffixes(s) == {SubSeq(s, n, Len(s)) : n \in 1..(Len(s) + 1)}

CommonPrefixes(S) ==
    {prefix \in UNION {Prefixes(s) : s \in S} : \A s \in S : IsPrefix(prefix, s)}

LongestCommonPrefix(S) ==
    LET common == CommonPrefixes(S)
    IN  CHOOSE longest \in common : \A prefix \in common : Len(longest) \geq Len(prefix)

-----------------------------------------------------------------------------
(* Folds *)

(* The index in 1..b that is a modulo b. *)
SeqMod(a, b) == ((a - 1) % b) + 1

FoldSeq(op(_, _), base, seq) == FoldFunction(op, base, seq)

(* op(... op(op(base, s[1]), s[2]) ..., s[n]) *)
FoldLeft(op(_, _), base, seq) ==
    LET RECURSIVE Upto(_)
        Upto(n) == IF n = 0 THEN base ELSE op(Upto(n - 1), seq[n])
    IN  Upto(Len(seq))

(* op(s[1], op(s[2], ... op(s[n], base))) *)
FoldRight(op(_, _), seq, base) ==
    LET RECURSIVE From(_)
        From(i) == IF i > Len(seq) THEN base ELSE op(seq[i], From(i + 1))
    IN  From(1)

(* The same with indices in place of elements. *)
FoldLeftDomain(op(_, _), base, seq) == FoldLeft(op, base, [i \in 1..Len(seq) |-> i])
FoldRightDomain(op(_, _), seq, base) == FoldRight(op, [i \in 1..Len(seq) |-> i], base)

-----------------------------------------------------------------------------
(* Sequences of sequences, and sequences within sequences *)

(* A single string or sequence is its own concatenation, so the fold starts from the first one. *)
FlattenSeq(seqs) ==
    IF Len(seqs) = 0 THEN seqs ELSE FoldLeft(\o, Head(seqs), Tail(seqs))

Zip(s, t) == [i \in 1..Min({Len(s), Len(t)}) |-> <<s[i], t[i]>>]

(* <<s[1]>>, <<t[1]>>, <<s[2]>>, <<t[2]>>, ... for sequences of one length. *)
Interleave(s, t) ==
    CASE Len(s) = Len(t) ->
        IF Len(s) = 0 THEN <<<<>>, <<>>>>
        ELSE [i \in 1..(2 * Len(s)) |-> IF i % 2 = 1 THEN <<s[(i + 1) \div 2]>> ELSE <<t[i \div 2]>>]

SubSeqs(s) == {SubSeq(s, i, j) : i \in 1..(Len(s) + 1), j \in 0..Len(s)}

(* Not only the contiguous ones. *)
AllSubSeqs(s) ==
    {LET kept == SetToSortSeq(D, <) IN [i \in 1..Len(kept) |-> s[kept[i]]] : D \in SUBSET (1..Len(s))}

(* Where s occurs in t. *)
LOCAL Occurrences(s, t) ==
    {i \in 1..(Len(t) - Len(s) + 1) : s = SubSeq(t, i, i + Len(s) - 1)}

IndexFirstSubSeq(s, t) ==
    LET places == Occurrences(s, t) IN CHOOSE i \in places : \A j \in places : i \leq j

ReplaceSubSeqAt(i, r, s, t) == SubSeq(t, 1, i - 1) \o r \o SubSeq(t, i + Len(s), Len(t))

ReplaceFirstSubSeq(r, s, t) ==
    IF Occurrences(s, t) = {} THEN t ELSE ReplaceSubSeqAt(IndexFirstSubSeq(s, t), r, s, t)

(* From the left, without overlap. The empty sequence occurs before every element. *)
ReplaceAllSubSeqs(r, s, t) ==
    LET RECURSIVE Replaced(_)
        Replaced(u) ==
            IF Occurrences(s, u) = {} THEN u
            ELSE LET i == IndexFirstSubSeq(s, u)
                 IN  SubSeq(u, 1, i - 1) \o r \o Replaced(SubSeq(u, i + Len(s), Len(u)))
    IN  CASE s = t -> r
          [] s # t /\ Len(s) > 0 -> Replaced(t)
          [] s # t /\ Len(s) = 0 -> FlattenSeq([i \in 1..Len(t) |-> r \o SubSeq(t, i, i)])
=============================================================================
