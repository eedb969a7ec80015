----------------------------- MODULE Sequences -----------------------------
(* Finite sequences: functions whose domain is 1..n, which is also what tuples are. *)
(* Everything here is native; the bodies say what the native meanings must agree    *)
(* with. Natively, strings too have a length, can be concatenated and cut.          *)
LOCAL INSTANCE Naturals

Seq(S) == UNION {[1..length -> S] : length \in Nat}

Len(s) == CHOOSE length \in Nat : 1..length = DOMAIN s

s \o t ==
    LET n == Len(s)
    IN  [i \in 1..(n + Len(t)) |-> IF i > n THEN t[i - n] ELSE s[i]]

Append(s, e) == s \o <<e>>

Head(s) == s[1]

(* The empty sequence has no tail: no arm, hence an error. *)
Tail(s) == CASE Len(s) > 0 -> [i \in 1..(Len(s) - 1) |-> s[i + 1]]

SubSeq(s, m, n) == [i \in 1..(n - m + 1) |-> s[m + i - 1]]

SelectSeq(s, Test(_)) ==
    LET RECURSIVE Chosen(_)
        Chosen(n) == IF n = 0 THEN <<>>
                     ELSE Chosen(n - 1) \o (IF Test(s[n]) THEN <<s[n]>> ELSE <<>>)
    IN  Chosen(Len(s))
=============================================================================
