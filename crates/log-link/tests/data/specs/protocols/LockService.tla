---- MODULE LockService ----
\* A lock service with waiting clients, fencing numbers, clients that crash, and a server that restarts from what it has stored.
EXTENDS Naturals, Sequences
CONSTANT Client
VARIABLES server, stored, client
vars == <<server, stored, client>>
Idle == [phase |-> "idle", fence |-> 0]
Start == [holder |-> {}, waiting |-> <<>>, fence |-> 0, up |-> TRUE]

Init == server = Start /\ stored = [holder |-> {}, fence |-> 0] /\ client = [c \in Client |-> Idle]

IsWaiting(c) == \E i \in DOMAIN server.waiting : server.waiting[i] = c

Ask(c) ==
    /\ server.up /\ client[c].phase = "idle" /\ ~IsWaiting(c)
    /\ client' = [client EXCEPT ![c].phase = "waiting"]
    /\ server' = [server EXCEPT !.waiting = Append(@, c)]
    /\ UNCHANGED stored

Give ==
    /\ server.up /\ server.holder = {} /\ server.waiting # <<>> /\ server.fence < 3
    /\ LET c == Head(server.waiting)
           fence == server.fence + 1
       IN /\ server' = [server EXCEPT !.holder = {c}, !.waiting = Tail(@), !.fence = fence]
          /\ stored' = [holder |-> {c}, fence |-> fence]
          /\ client' = IF client[c].phase = "waiting"
                       THEN [client EXCEPT ![c] = [phase |-> "holding", fence |-> fence]]
                       ELSE client

GiveBack(c) ==
    /\ server.up /\ c \in server.holder
    /\ server' = [server EXCEPT !.holder = {}]
    /\ stored' = [stored EXCEPT !.holder = {}]
    /\ client' = [client EXCEPT ![c] = Idle]

CrashClient(c) == client[c] # Idle /\ client' = [client EXCEPT ![c] = Idle] /\ UNCHANGED <<server, stored>>
CrashServer == server.up /\ server' = [Start EXCEPT !.up = FALSE] /\ UNCHANGED <<stored, client>>
Restart ==
    /\ ~server.up
    /\ server' = [Start EXCEPT !.holder = stored.holder, !.fence = stored.fence]
    /\ UNCHANGED <<stored, client>>

Next == Give \/ CrashServer \/ Restart \/ \E c \in Client : Ask(c) \/ GiveBack(c) \/ CrashClient(c)
====
