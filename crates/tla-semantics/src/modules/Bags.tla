-------------------------------- MODULE Bags --------------------------------
(* Bags (multisets): functions to the positive numbers. An element that is not in the *)
(* domain has no copy. All but SubBag are native.                                     *)
EXTENDS TLC
LOCAL INSTANCE Naturals

IsABag(B) == \A e \in DOMAIN B : B[e] \in Nat \ {0}

BagToSet(B) == DOMAIN B

SetToBag(S) == [e \in S |-> 1]

EmptyBag == SetToBag({})

BagIn(e, B) == e \in DOMAIN B

CopiesIn(e, B) == IF BagIn(e, B) THEN B[e] ELSE 0

B1 (+) B2 == [e \in DOMAIN B1 \cup DOMAIN B2 |-> CopiesIn(e, B1) + CopiesIn(e, B2)]

(* Taking away more copies than there are leaves none. *)
B1 (-) B2 ==
    [e \in {x \in DOMAIN B1 : B1[x] > CopiesIn(x, B2)} |-> B1[e] - CopiesIn(e, B2)]

B1 \sqsubseteq B2 == \A e \in DOMAIN B1 : B1[e] \leq CopiesIn(e, B2)

LOCAL SumOver(S, Weight(_)) ==
    LET RECURSIVE Total(_)
        Total(T) == IF T = {} THEN 0
                    ELSE LET e == CHOOSE x \in T : TRUE IN Weight(e) + Total(T \ {e})
    IN  Total(S)

BagUnion(S) ==
    [e \in UNION {DOMAIN B : B \in S} |-> SumOver(S, LAMBDA B : CopiesIn(e, B))]

BagOfAll(F(_), B) ==
    [image \in {F(e) : e \in DOMAIN B} |->
        SumOver({e \in DOMAIN B : F(e) = image}, LAMBDA e : B[e])]

BagCardinality(B) == SumOver(DOMAIN B, LAMBDA e : B[e])

(* Grown one element at a time: as many steps as there are bags in the answer. *)
SubBag(B) ==
    LET RECURSIVE Within(_)
        Within(S) ==
            IF S = {} THEN {EmptyBag}
            ELSE LET e == CHOOSE x \in S : TRUE
                     without == Within(S \ {e})
                 IN  without \cup {b @@ (e :> n) : b \in without, n \in 1..B[e]}
    IN  Within(DOMAIN B)
=============================================================================
