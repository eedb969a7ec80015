----------------------- MODULE DifferentialEquations -----------------------
(* Solutions of ordinary differential equations, as a definition only: nothing here can be evaluated. *)
LOCAL INSTANCE Reals
LOCAL INSTANCE Sequences

LOCAL Positive == {r \in Real : r > 0}
LOCAL Between(low, high) == {r \in Real : low < r /\ r < high}

LOCAL IsDerivative(derivative, f) ==
    /\ derivative \in [DOMAIN f -> Real]
    /\ \A x \in DOMAIN f : \A error \in Positive : \E near \in Positive :
            \A y \in Between(x - near, x + near) \ {x} :
                LET slope == (f[y] - f[x]) / (y - x)
                IN  slope \in Between(derivative[x] - error, derivative[x] + error)

(* The first n derivatives at b (counting the function itself) of the function that around a..b satisfies *)
(* D(t, f, f', ..., f^(n)) = 0 and whose first n derivatives at a are InitVals, n being their number.     *)
Integrate(D, a, b, InitVals) ==
    LET n == Len(InitVals)
        solution ==
            CHOOSE f : \E margin \in Positive :
                LET around == Between(a - margin, b + margin)
                IN  /\ f \in [0..n -> [around -> Real]]
                    /\ \A k \in 1..n : IsDerivative(f[k], f[k - 1]) /\ f[k - 1][a] = InitVals[k]
                    /\ \A t \in around : D[<<t>> \o [k \in 1..(n + 1) |-> f[k - 1][t]]] = 0
    IN  [k \in 1..n |-> solution[k - 1][b]]
=============================================================================
