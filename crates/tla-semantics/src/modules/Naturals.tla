------------------------------ MODULE Naturals ------------------------------
(* Arithmetic. What cannot be said in terms of something simpler is an entry of Native, *)
(* a table that the evaluator knows and this text does not (see README.md).             *)

LOCAL Native == CHOOSE meaning : TRUE

Nat == Native["Nat"]

a + b == Native["+"][a, b]
a - b == Native["-"][a, b]
a * b == Native["*"][a, b]
a ^ b == Native["^"][a, b]
a \div b == Native["\\div"][a, b]
a \leq b == Native["<="][a, b]
a .. b == Native[".."][a, b]

(* \div rounds towards minus infinity, so that for positive b the remainder is never negative. *)
a % b == a - b * (a \div b)

a \geq b == b \leq a
a < b == a \leq b /\ a # b
a > b == b < a
=============================================================================
