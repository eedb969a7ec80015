-------------------------- MODULE DyadicRationals --------------------------
(* Fractions whose denominator is a power of two, in lowest terms: records of num and den. *)
LOCAL INSTANCE FiniteSets
LOCAL INSTANCE Integers
LOCAL INSTANCE Sequences
LOCAL INSTANCE FiniteSetsExt
LOCAL INSTANCE TLC

LOCAL Fraction(numerator, denominator) == [num |-> numerator, den |-> denominator]

(* Halving as long as both terms are even is enough: no other divisor can be common. *)
LOCAL Lowest(numerator, denominator) ==
    LET RECURSIVE Halved(_, _)
        Halved(n, d) == IF d > 1 /\ n % 2 = 0 /\ d % 2 = 0 THEN Halved(n \div 2, d \div 2) ELSE Fraction(n, d)
    IN  Halved(numerator, denominator)

Zero == Fraction(0, 1)
One == Fraction(1, 1)

IsDyadicRational(r) ==
    LET RECURSIVE IsPowerOfTwo(_)
        IsPowerOfTwo(n) == n = 1 \/ (n > 1 /\ n % 2 = 0 /\ IsPowerOfTwo(n \div 2))
    IN  IsPowerOfTwo(r.den)

Add(p, q) ==
    LET common == Max({p.den, q.den})
    IN  IF p = Zero THEN q
        ELSE Lowest(p.num * (common \div p.den) + q.num * (common \div q.den), common)

Half(p) == Lowest(p.num, 2 * p.den)

PrettyPrint(p) ==
    CASE p = Zero -> "0"
      [] p = One -> "1"
      [] OTHER -> ToString(p.num) \o "/" \o ToString(p.den)
=============================================================================
