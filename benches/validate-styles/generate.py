"""Traces of a correct map, for the style specs: every operation takes effect at one moment inside its timebox.

usage: generate.py THREADS OPERATIONS KEYS SEED OUT.ndjson [WRONG]

Every thread calls again as soon as it has its result, so that all THREADS calls are open at almost every moment. With WRONG, the first range
query that takes effect after so many operations counts more keys than any order explains: a violation for the viewer.
"""
import heapq
import json
import random
import sys

threads, operations, keys, seed = map(int, sys.argv[1:5])
rng = random.Random(seed)
wrong_from = int(sys.argv[6]) if len(sys.argv) > 6 else None
held, records, clock = {}, [], 0
CALL, EFFECT, RETURN = 0, 1, 2
events = [(rng.randint(0, 1000), thread, CALL, None) for thread in range(threads)]
heapq.heapify(events)
begun = 0


def fresh():
    kind = rng.random()
    key = rng.randint(1, keys)
    if kind < 0.2:
        return {"op": "KVContains", "args": {"key": key}}
    if kind < 0.4:
        return {"op": "KVInsert", "args": {"key": key, "value": rng.randint(1, 10)}}
    if kind < 0.6:
        return {"op": "KVInsertIfAbsent", "args": {"key": key, "value": rng.randint(1, 10)}}
    if kind < 0.8:
        return {"op": "KVErase", "args": {"key": key}}
    low = rng.randint(1, keys)
    return {"op": "KVRangeQuery", "args": {"lo": low, "hi": rng.randint(low, keys)}}


def effect(record):
    global wrong_from
    name, args = record["op"], record["args"]
    if name == "KVRangeQuery":
        args["count"] = sum(args["lo"] <= key <= args["hi"] for key in held)
        if wrong_from is not None and begun > wrong_from:
            args["count"] += threads + 1
            wrong_from = None
        return
    key = args["key"]
    args["result"] = key in held if name == "KVContains" else held.get(key, 0)
    if name == "KVInsert":
        held[key] = args["value"]
    elif name == "KVInsertIfAbsent":
        held.setdefault(key, args["value"])
    elif name == "KVErase":
        held.pop(key, None)


while events:
    now, thread, what, record = heapq.heappop(events)
    if what == CALL:
        if begun == operations:
            continue
        begun += 1
        record = {"thread": thread, **fresh(), "start": now}
        records.append(record)
        heapq.heappush(events, (now + rng.randint(1, 500), thread, EFFECT, record))
    elif what == EFFECT:
        effect(record)
        heapq.heappush(events, (now + rng.randint(1, 500), thread, RETURN, record))
    else:
        record["end"] = now
        heapq.heappush(events, (now + 1, thread, CALL, None))

with open(sys.argv[5], "w") as out:
    for record in sorted(records, key=lambda record: record["start"]):
        out.write(json.dumps(record, separators=(",", ":")) + "\n")
