---- MODULE Raft ----
\* Consensus by terms, elections and a replicated log. Messages are kept for ever: they may be lost, be received late, or twice.
EXTENDS Integers, Sequences, FiniteSets
CONSTANT Node
VARIABLES
    term,       \* of each node
    role,       \* "follower", "candidate" or "leader"
    votedFor,   \* whom each node voted for in its term, or "none"
    log,        \* entries with a term and a value
    committed,  \* how many entries of its log each node knows to be committed
    votes,      \* who voted for each candidate in its term
    matched,    \* what each leader knows about the logs of others
    sent        \* the messages of each node
vars == <<term, role, votedFor, log, committed, votes, matched, sent>>

LastTerm(entries) == IF entries = <<>> THEN 0 ELSE entries[Len(entries)].term
IsMajority(nodes) == 2 * Cardinality(nodes) > Cardinality(Node)
Largest(a, b) == IF a > b THEN a ELSE b
Least(a, b) == IF a < b THEN a ELSE b
Send(n, messages) == sent' = [sent EXCEPT ![n] = @ \cup messages]

Init ==
    /\ term = [n \in Node |-> 0]
    /\ role = [n \in Node |-> "follower"]
    /\ votedFor = [n \in Node |-> "none"]
    /\ log = [n \in Node |-> <<>>]
    /\ committed = [n \in Node |-> 0]
    /\ votes = [n \in Node |-> {}]
    /\ matched = [n \in Node |-> [m \in Node |-> 0]]
    /\ sent = [n \in Node |-> {}]

Timeout(n) ==
    /\ role[n] # "leader"
    /\ term' = [term EXCEPT ![n] = @ + 1]
    /\ role' = [role EXCEPT ![n] = "candidate"]
    /\ votedFor' = [votedFor EXCEPT ![n] = n]
    /\ votes' = [votes EXCEPT ![n] = {n}]
    /\ Send(n, {[type |-> "ask", from |-> n, to |-> m, term |-> term[n] + 1,
                 length |-> Len(log[n]), last |-> LastTerm(log[n])] : m \in Node \ {n}})
    /\ UNCHANGED <<log, committed, matched>>

\* Whoever hears of a later term follows in it.
UpdateTerm(m) ==
    /\ m.term > term[m.to]
    /\ term' = [term EXCEPT ![m.to] = m.term]
    /\ role' = [role EXCEPT ![m.to] = "follower"]
    /\ votedFor' = [votedFor EXCEPT ![m.to] = "none"]
    /\ UNCHANGED <<log, committed, votes, matched, sent>>

IsUpToDate(m) ==
    \/ m.last > LastTerm(log[m.to])
    \/ m.last = LastTerm(log[m.to]) /\ m.length >= Len(log[m.to])

Grant(m) ==
    /\ m.type = "ask"
    /\ m.term = term[m.to]
    /\ votedFor[m.to] \in {"none", m.from}
    /\ IsUpToDate(m)
    /\ votedFor' = [votedFor EXCEPT ![m.to] = m.from]
    /\ Send(m.to, {[type |-> "vote", from |-> m.to, to |-> m.from, term |-> m.term]})
    /\ UNCHANGED <<term, role, log, committed, votes, matched>>

Deny(m) ==
    /\ m.type = "ask"
    /\ m.term < term[m.to] \/ votedFor[m.to] \notin {"none", m.from} \/ ~IsUpToDate(m)
    /\ UNCHANGED vars

Count(m) ==
    /\ m.type = "vote"
    /\ m.term = term[m.to]
    /\ role[m.to] = "candidate"
    /\ votes' = [votes EXCEPT ![m.to] = @ \cup {m.from}]
    /\ UNCHANGED <<term, role, votedFor, log, committed, matched, sent>>

Lead(n) ==
    /\ role[n] = "candidate"
    /\ IsMajority(votes[n])
    /\ role' = [role EXCEPT ![n] = "leader"]
    /\ matched' = [matched EXCEPT ![n] = [m \in Node |-> IF m = n THEN Len(log[n]) ELSE 0]]
    /\ UNCHANGED <<term, votedFor, log, committed, votes, sent>>

Propose(n, v) ==
    /\ role[n] = "leader"
    /\ log' = [log EXCEPT ![n] = Append(@, [term |-> term[n], value |-> v])]
    /\ matched' = [matched EXCEPT ![n][n] = Len(log[n]) + 1]
    /\ UNCHANGED <<term, role, votedFor, committed, votes, sent>>

\* The entries after the first `prev` go to another node.
Replicate(n, to, prev) ==
    /\ role[n] = "leader"
    /\ to # n
    /\ prev <= Len(log[n])
    /\ Send(n, {[type |-> "append", from |-> n, to |-> to, term |-> term[n], prev |-> prev,
                 prevTerm |-> LastTerm(SubSeq(log[n], 1, prev)), entries |-> SubSeq(log[n], prev + 1, Len(log[n])),
                 commit |-> committed[n]]})
    /\ UNCHANGED <<term, role, votedFor, log, committed, votes, matched>>

IsConsistent(m) ==
    /\ m.prev <= Len(log[m.to])
    /\ m.prevTerm = LastTerm(SubSeq(log[m.to], 1, m.prev))

\* A log keeps what agrees with the message, and what the message says nothing about.
Merged(own, m) ==
    LET agrees(i) == m.prev + i <= Len(own) /\ own[m.prev + i].term = m.entries[i].term
    IN  IF \A i \in DOMAIN m.entries : agrees(i) THEN own ELSE SubSeq(own, 1, m.prev) \o m.entries

Store(m) ==
    /\ m.type = "append"
    /\ m.term = term[m.to]
    /\ role[m.to] # "leader"
    /\ IsConsistent(m)
    /\ role' = [role EXCEPT ![m.to] = "follower"]
    /\ log' = [log EXCEPT ![m.to] = Merged(@, m)]
    /\ committed' = [committed EXCEPT ![m.to] = Largest(@, Least(m.commit, m.prev + Len(m.entries)))]
    /\ Send(m.to, {[type |-> "stored", from |-> m.to, to |-> m.from, term |-> m.term, length |-> m.prev + Len(m.entries)]})
    /\ UNCHANGED <<term, votedFor, votes, matched>>

Refuse(m) ==
    /\ m.type = "append"
    /\ \/ m.term < term[m.to] /\ UNCHANGED role
       \/ m.term = term[m.to] /\ ~IsConsistent(m) /\ role' = [role EXCEPT ![m.to] = "follower"]
    /\ Send(m.to, {[type |-> "refused", from |-> m.to, to |-> m.from, term |-> term[m.to], length |-> Len(log[m.to])]})
    /\ UNCHANGED <<term, votedFor, log, committed, votes, matched>>

Acknowledge(m) ==
    /\ m.type = "stored"
    /\ m.term = term[m.to]
    /\ role[m.to] = "leader"
    /\ matched' = [matched EXCEPT ![m.to][m.from] = Largest(@, m.length)]
    /\ UNCHANGED <<term, role, votedFor, log, committed, votes, sent>>

Advance(n, length) ==
    /\ role[n] = "leader"
    /\ length > committed[n]
    /\ length <= Len(log[n])
    /\ log[n][length].term = term[n]
    /\ IsMajority({m \in Node : matched[n][m] >= length})
    /\ committed' = [committed EXCEPT ![n] = length]
    /\ UNCHANGED <<term, role, votedFor, log, votes, matched, sent>>

Receive(m) == UpdateTerm(m) \/ Grant(m) \/ Deny(m) \/ Count(m) \/ Store(m) \/ Refuse(m) \/ Acknowledge(m)

Next == \E n \in Node :
    \/ Timeout(n)
    \/ Lead(n)
    \/ \E v \in Nat : Propose(n, v)
    \/ \E to \in Node, prev \in 0..Len(log[n]) : Replicate(n, to, prev)
    \/ \E length \in 1..Len(log[n]) : Advance(n, length)
    \/ \E m \in sent[n] : Receive(m)

Spec == Init /\ [][Next]_vars

OneLeader == \A n, m \in Node : role[n] = "leader" /\ role[m] = "leader" /\ term[n] = term[m] => n = m
Agreement == \A n, m \in Node : LET length == Least(committed[n], committed[m])
                                IN  SubSeq(log[n], 1, length) = SubSeq(log[m], 1, length)
====
