---- MODULE RaftDriven ----
\* The small Raft of examples/logs/raft, as small as a model for tests has to be: few terms, few values, short logs.
EXTENDS Raft
CONSTANTS Values, TermMax, LengthMax, SentMax
Few ==
    \A n \in Node :
        /\ term[n] <= TermMax
        /\ Len(log[n]) <= LengthMax
        /\ Cardinality(sent[n]) <= SentMax
====
