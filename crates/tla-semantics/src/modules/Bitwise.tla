------------------------------ MODULE Bitwise ------------------------------
(* Bits of natural numbers. Everything here is native; natively, negative numbers are the bit *)
(* patterns of 32-bit integers.                                                               *)
LOCAL INSTANCE Integers

(* The number whose bits are Bit of the bits of x and y, lowest first. *)
LOCAL Bitwise2(x, y, Bit(_, _)) ==
    LET RECURSIVE Combined(_, _)
        Combined(a, b) ==
            CASE a = 0 /\ b = 0 -> 0
              [] a > 0 \/ b > 0 -> Bit(a % 2, b % 2) + 2 * Combined(a \div 2, b \div 2)
    IN  Combined(x, y)

x & y == Bitwise2(x, y, LAMBDA a, b : IF a + b = 2 THEN 1 ELSE 0)
x | y == Bitwise2(x, y, LAMBDA a, b : IF a + b > 0 THEN 1 ELSE 0)
x ^^ y == Bitwise2(x, y, LAMBDA a, b : IF a + b = 1 THEN 1 ELSE 0)

(* The bits up to the highest one of a, turned over. *)
Not(a) == Bitwise2(a, a, LAMBDA bit, same : 1 - bit)

shiftR(n, pos) == n \div 2 ^ pos
=============================================================================
