---- MODULE StoreDriven ----
\* The store of examples/validate/store, with the calls that its clients make.
EXTENDS Store
CONSTANT Values
Next == \E tid \in Txns :
    \/ Begin(tid)
    \/ \E key \in Keys, result \in Values \cup {NoValue} : Read(tid, key, result)
    \/ \E key \in Keys, value \in Values, ok \in BOOLEAN : Write(tid, key, value, ok)
    \/ \E key \in Keys, ok \in BOOLEAN : Remove(tid, key, ok)
    \/ Commit(tid)
    \/ Abort(tid)
====
