"""What Python costs: models in Python beside the shipped ones, the recorder and the live. Run it with the wheel installed."""
import random
import statistics
import time

import omnilink


class Register:
    def initial(self):
        return 0

    def step(self, state, op):
        if op.name == "write":
            return op["value"]
        return state if op.pending or op.ret == state else None

    def is_pure(self, op):
        return op.name == "read"


class Queue:
    def initial(self):
        return ()

    def step(self, state, op):
        if op.name == "enqueue":
            return state + (op["value"],)
        if not state:
            return state if op.ret is None else None
        return state[1:] if op.pending or op.ret == state[0] else None


class QueueOfLists(Queue):
    """The same with a state that has no hash, and is copied for each step."""

    def initial(self):
        return {"items": []}

    def step(self, state, op):
        if op.name == "enqueue":
            state["items"].append(op["value"])
            return state
        if not state["items"]:
            return state if op.ret is None else None
        return state if state["items"].pop(0) == op.ret else None


def history(operations, threads, kind):
    """A valid history: every operation takes effect at a random moment between its call and its return."""
    pick, state, records = random.Random(7), [], []
    free = [0] * threads
    for number in range(operations):
        thread = pick.randrange(threads)
        at = max(free[thread], number * 10) + pick.randint(1, 9)
        record = {"thread": thread, "start": at - pick.randint(0, 5), "end": at + pick.randint(0, 15)}
        record["start"] = max(record["start"], free[thread])
        free[thread] = record["end"] + 1
        records.append((at, number, record))
    for at, number, record in sorted(records, key=lambda entry: entry[:2]):
        if kind == "register":
            if pick.random() < 0.5:
                state = [pick.randrange(10)]
                record.update(op="write", args={"value": state[0]})
            else:
                record.update(op="read", ret=state[0] if state else 0)
        elif pick.random() < 0.5 or not state:
            state.append(number)
            record.update(op="enqueue", args={"value": number})
        else:
            record.update(op="dequeue", ret=state.pop(0))
    return [record for _, _, record in sorted(records, key=lambda entry: entry[2]["start"])]


def seconds(run):
    """The median of five."""
    times = []
    for _ in range(5):
        begin = time.perf_counter()
        run()
        times.append(time.perf_counter() - begin)
    return statistics.median(times)


def main():
    models = {"register": ["register:initial=0", Register], "queue": ["queue", Queue, QueueOfLists]}
    for kind, threads, size in [("register", 8, 10_000), ("queue", 2, 200)]:
        records = history(size, threads, kind)
        trace = omnilink._native.encode(records)
        print(f"{kind}: {size} dicts become a trace in {seconds(lambda: omnilink._native.encode(records)) * 1e3:.1f} ms")
        for model in models[kind]:
            # A model in Python has no near-linear monitor: the sweep decides for both.
            options = {"strategy": "sweep", "time_limit": 20}
            steps = omnilink.check(trace, model, **options).raise_for_verdict().evidence["model_steps"]
            name = model if isinstance(model, str) else model.__name__
            print(f"  {name}: {seconds(lambda: omnilink.check(trace, model, **options)) * 1e3:.1f} ms, {steps} steps")
    calls = 100_000
    recorder = omnilink.Recorder()
    begin = time.perf_counter()
    for number in range(calls):
        recorder.call("write", int, value=number)
    print(f"recorder.call: {(time.perf_counter() - begin) / calls * 1e6:.2f} µs")
    begin = time.perf_counter()
    for number in range(calls):
        with recorder.operation("write", value=number):
            pass
    print(f"recorder.operation: {(time.perf_counter() - begin) / calls * 1e6:.2f} µs")
    with omnilink.LiveCheck("register") as live:
        begin = time.perf_counter()
        for number in range(calls):
            live.call("write", int, value=number)
        print(f"live.call: {(time.perf_counter() - begin) / calls * 1e6:.2f} µs")


main()
