---- MODULE Bank ----
\* Sums by recursion, counts by filters; a balance is read and written with EXCEPT and @.
EXTENDS Integers, FiniteSets
CONSTANT Accounts
VARIABLE held
Init == held = [a \in Accounts |-> 2]
RECURSIVE Sum(_)
Sum(S) == IF S = {} THEN 0 ELSE LET a == CHOOSE a \in S : TRUE IN held[a] + Sum(S \ {a})
Deposit(to, n, ok) ==
    IF held[to] + n <= 6 THEN ok = TRUE /\ held' = [held EXCEPT ![to] = @ + n] ELSE ok = FALSE /\ UNCHANGED held
Withdraw(from, n, ok) ==
    /\ ok = (held[from] >= n)
    /\ held' = IF ok THEN [held EXCEPT ![from] = @ - n] ELSE held
Transfer(from, to, n, ok) ==
    \/ held[from] >= n /\ ok /\ held' = [held EXCEPT ![from] = @ - n, ![to] = @ + n]
    \/ held[from] < n /\ ~ok /\ UNCHANGED held
Balance(from, result) == held[from] = result /\ UNCHANGED held
Rich(n, result) == result = Cardinality({a \in Accounts : held[a] >= n}) /\ UNCHANGED held
SumOf(lo, hi, result) == result = Sum(lo..hi \cap Accounts) /\ UNCHANGED held
Total(result) == Sum(Accounts) = result /\ UNCHANGED held
====
