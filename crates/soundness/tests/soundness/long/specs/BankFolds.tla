---- MODULE BankFolds ----
\* The bank with folds of the community modules, operators as arguments, and an invariant.
EXTENDS Integers, FiniteSets, FiniteSetsExt
CONSTANT Accounts
VARIABLE st
Init == st = [held |-> [a \in Accounts |-> 2]]
Pay(who, n) == [st EXCEPT !.held[who] = @ + n]
SumOver(S) == MapThenSumSet(LAMBDA a : st.held[a], S)
CountOf(S, P(_)) == Cardinality({a \in S : P(a)})
Deposit(to, n, ok) == ok = (st.held[to] + n <= 6) /\ st' = IF ok THEN Pay(to, n) ELSE st
Withdraw(from, n, ok) == ok = (st.held[from] >= n) /\ st' = IF ok THEN Pay(from, -n) ELSE st
Transfer(from, to, n, ok) ==
    /\ ok = (st.held[from] >= n)
    /\ CASE ~ok -> UNCHANGED st
         [] OTHER -> st' = [st EXCEPT !.held = [a \in Accounts |-> st.held[a] - (IF a = from THEN n ELSE 0) + (IF a = to THEN n ELSE 0)]]
Balance(from, result) == st.held[from] = result /\ UNCHANGED st
Rich(n, result) == result = CountOf(Accounts, LAMBDA a : st.held[a] >= n) /\ UNCHANGED st
SumOf(lo, hi, result) == result = SumOver(lo..hi \cap Accounts) /\ UNCHANGED st
Total(result) == result = SumOver(Accounts) /\ UNCHANGED st
NoDebts == \A a \in Accounts : st.held[a] >= 0
====
