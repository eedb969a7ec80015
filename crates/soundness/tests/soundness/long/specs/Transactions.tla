---- MODULE Transactions ----
\* Several keys at a time.
EXTENDS Integers, Sequences
CONSTANT Keys
VARIABLE r
Init == r = [k \in Keys |-> 0]
InSeq(k, s) == \E i \in DOMAIN s : s[i] = k
WriteAll(keys, value) == r' = [k \in Keys |-> IF InSeq(k, keys) THEN value ELSE r[k]]
Write(key, value) == r' = [r EXCEPT ![key] = value]
Copy(from, to, result) == result = r[to] /\ r' = [r EXCEPT ![to] = r[from]]
Swap(from, to, result) == r[from] = result /\ r' = [r EXCEPT ![from] = r[to], ![to] = r[from]]
Read(key, result) == r[key] = result /\ UNCHANGED r
SumAll(keys, result) == result = r[keys[1]] + r[keys[2]] /\ UNCHANGED r
====
