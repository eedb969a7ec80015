---- MODULE Disk ----
\* What is written is flushed to the disk by a hidden step.
EXTENDS Integers
CONSTANT Keys
VARIABLES buffer, disk
vars == <<buffer, disk>>
Init == buffer = [k \in Keys |-> 0] /\ disk = buffer
Write(key, value) == buffer' = [buffer EXCEPT ![key] = value] /\ UNCHANGED disk
Read(key, result) == buffer[key] = result /\ UNCHANGED vars
ReadDisk(key, result) == disk[key] = result /\ UNCHANGED vars
Flush == disk' = buffer /\ UNCHANGED buffer
====
