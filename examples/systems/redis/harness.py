"""A harness for Redis: a fresh server per run, one connection per thread, and a socket is all it takes. See run.sh."""
import os, random, socket, subprocess, sys, tempfile, threading, time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../recorders/python"))
import omnilink

SEED, THREADS, OPS = (int(os.environ.get("OMNILINK_" + name, default)) for name, default in [("SEED", 1), ("THREADS", 4), ("OPS", 100)])
VALUES = int(os.environ.get("OMNILINK_VALUES", 3))


class Client:
    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.replies = self.socket.makefile("rb")

    def send(self, *words):
        self.socket.sendall(b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(w), w) for w in (str(w).encode() for w in words)))

    def reply(self):
        line = self.replies.readline().strip()
        kind, rest = line[:1], line[1:]
        if kind == b"*":
            return [self.reply() for _ in range(int(rest))]
        if kind == b"$":
            return None if int(rest) < 0 else int(self.replies.read(int(rest) + 2))
        return int(rest) if kind == b":" else rest.decode()

    def do(self, *words):
        self.send(*words)
        return self.reply()

    def move(self, key, other):
        for words in [("MULTI",), ("INCR", key), ("DECR", other), ("EXEC",)]:
            self.send(*words)
        return [self.reply() for _ in range(4)][3]


def work(thread, path, recorder):
    client, choose = Client(path), random.Random(SEED * 1000 + thread)
    for _ in range(OPS):
        key, other = (f"k{n}" for n in choose.sample(range(VALUES + 1), 2))
        op, value = choose.choice(["SET", "GET", "GET", "INCR", "GETSET", "DEL", "MOVE"]), choose.randint(0, 99)
        if op == "MOVE":
            recorder.call(op, lambda: client.move(key, other), key=key, other=other)
        elif op == "SET":
            recorder.call(op, lambda: client.do(op, key, value) and None, key=key, value=value)
        elif op == "GETSET":
            recorder.call(op, lambda: client.do(op, key, value), key=key, value=value)
        else:
            recorder.call(op, lambda: client.do(op, key), key=key)


with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "redis.sock")
    server = subprocess.Popen(["redis-server", "--port", "0", "--unixsocket", path, "--save", "", "--dir", folder], stdout=subprocess.DEVNULL)
    while not os.path.exists(path):
        time.sleep(0.005)
    recorder = omnilink.Recorder(os.environ["OMNILINK_TRACE"], seed=SEED, threads=THREADS, ops=OPS, values=VALUES)
    threads = [threading.Thread(target=work, args=(thread, path, recorder)) for thread in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    server.kill()
