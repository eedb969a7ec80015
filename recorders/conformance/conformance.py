"""The conformance program in Python: conformance.py PART FOLDER. What each part does: README.md."""
import os, sys, threading, time

from omnilink import ModelValue, Recorder, RecorderError


def calls(recorder):
    one, main = recorder.thread(1), recorder.thread("main")
    one.begin("write", value=1).end()
    one.begin("read").end(1)
    one.begin("cas", **{"from": 1, "to": 2}).end(True)
    one.begin("refused").abort()
    one.begin("another", value=1).cancel()
    one.begin("noted", value=2).end(3, meta={"node": 4})
    narrow = one.begin("narrow")
    narrow.tighten_end()
    time.sleep(0.02)
    narrow.end()
    one.begin("lost").leave()
    one.begin("after").end()
    main.begin("hello").end(None)


def nested(depth):
    return [nested(depth - 1)] if depth else []


def values(recorder):
    log = recorder.thread(0)
    for name, value in {
        "null": None, "true": True, "false": False, "zero": 0, "negative": -1, "exact": 2**53 + 1, "least": -(2**63), "greatest": 2**63 - 1,
        "unsigned": 2**64 - 1, "huge": 2**64, "empty text": "", "text": 'a é 😀 \n \x01 " \\', "list": [1, [2, []]], "bytes": bytes([0, 127, 255]),
        "record": {"x": 1, "names": ["n"]}, "function": {1: "one"}, "dollar": {"$set": 7}, "set": {1, 2}, "empty set": set(), "empty list": [],
        "model": ModelValue("n1"), "deep": nested(25),
    }.items():
        log.begin(name, value=value).end(value)


def texts(recorder):
    log = recorder.thread(0)
    for name, text in {"half": "a\ud800b", "other half": "a\udfffb", "looks like one": "a\\ud800b", "looks like a byte": "\\xff", "path": "C:\\users\\xyz", "nul": "a\0b"}.items():
        log.begin(name, value={text: text}).end(text)


def threads(recorder, count, rounds):
    lock, counter = threading.Lock(), [0]

    def work(number):
        log = recorder.thread(number)
        for _ in range(rounds):
            call = log.begin("next")
            with lock:
                result = counter[0]
                counter[0] += 1
            call.end(result)

    workers = [threading.Thread(target=work, args=(number,)) for number in range(count)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    print("DONE", counter[0])


def die(recorder):
    log = recorder.thread(0)
    for i in range(1000):
        log.begin("op", i=i).end(i)
    log.begin("op", i=1000)
    print("open", flush=True)
    time.sleep(600)


def race(recorder):
    def work(number):
        log, i = recorder.thread(number), 0
        while True:
            log.begin("op", i=i).end(i)
            if i % 64 == 63:
                os.write(1, f"{number} {i}\n".encode())
            i += 1

    workers = [threading.Thread(target=work, args=(number,)) for number in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()


def fork(recorder):
    log = recorder.thread(0)
    log.begin("a").end()
    child = os.fork()
    if child == 0:
        try:
            log.begin("of the child")
        except RecorderError as error:
            print("child:", error, flush=True)
        recorder.close()
        os._exit(0)
    os.waitpid(child, 0)
    log.begin("b").end()


def misuse(recorder, folder):
    def tried(name, mistake):
        try:
            mistake()
            print(f"{name}: nothing")
        except (RecorderError, TypeError, ValueError) as error:
            print(f"{name}: {error}")

    log = recorder.thread(0)
    own = []
    own.append(own)
    own.append(own)
    shared = [1]
    for _ in range(60):
        shared = [shared, shared]
    tried("header", lambda: Recorder(folder + "-other", unit="s"))
    tried("label type", lambda: recorder.thread(1.5))
    tried("label taken", lambda: recorder.thread("0"))
    tried("label form", lambda: recorder.thread("0'1"))
    tried("nan", lambda: log.begin("f", x=float("nan")))
    tried("infinity", lambda: log.begin("f", x=[float("-inf")]))
    tried("type", lambda: log.begin("f", x=object()))
    tried("no name", lambda: log.begin(None))
    tried("cycle", lambda: log.begin("f", x=own))
    tried("shared", lambda: log.begin("f", x=shared))
    call = log.begin("f")
    tried("open", lambda: log.begin("g"))
    call.end(1)
    tried("ended", lambda: call.end(2))
    log.begin("h").end(object())
    late = log.begin("late")
    tried("result", recorder.close)
    tried("closed end", lambda: late.end(1))
    tried("closed thread", lambda: recorder.thread(2))
    tried("closed call", lambda: log.begin("f"))


def cost(recorder):
    log = recorder.thread(0)
    for _ in range(5):
        start = time.process_time_ns()
        for _ in range(20_000):
            log.begin("write", value=3).end()
        print("COST", (time.process_time_ns() - start) // 20_000)


def main():
    part, folder = sys.argv[1:3]
    try:
        recorder = Recorder(folder, seed=42)
        if part == "threads":
            threads(recorder, 100, 50)
        elif part == "full":
            threads(recorder, 4, 25_000)
        elif part == "misuse":
            return misuse(recorder, folder)
        else:
            {"calls": calls, "values": values, "texts": texts, "die": die, "race": race, "fork": fork, "cost": cost}[part](recorder)
        recorder.close()
    except (RecorderError, OSError) as error:
        print(f"ERROR {error}")
        return 3


if __name__ == "__main__":
    sys.exit(main())
