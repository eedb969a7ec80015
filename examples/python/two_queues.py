"""Two queues in Python, recorded from several threads and checked: one with a lock, and one that looks and takes in two steps.

    python3 examples/python/two_queues.py

The exit code is 0 if the first is linearizable and the second is caught.
"""
import collections
import sys
import threading
import time

import omnilink


class LockedQueue:
    def __init__(self):
        self.items, self.lock = collections.deque(), threading.Lock()

    def enqueue(self, value):
        with self.lock:
            self.items.append(value)

    def dequeue(self):
        with self.lock:
            return self.items.popleft() if self.items else None


class HastyQueue(LockedQueue):
    """Another thread may take the same element between the look and the removal."""

    def dequeue(self):
        if not self.items:
            return None
        head = self.items[0]
        time.sleep(0)  # a busy system switches threads here by itself
        try:
            self.items.remove(head)
        except ValueError:
            pass
        return head


def record(queue, threads=3, calls=30):
    begin = threading.Barrier(threads)
    with omnilink.Recorder() as recorder:

        def work(number):
            begin.wait()
            for call in range(calls):
                value = number * calls + call + 1
                recorder.call("enqueue", lambda: queue.enqueue(value), value=value)
                recorder.call("dequeue", queue.dequeue)

        workers = [threading.Thread(target=work, args=(number,)) for number in range(threads)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
    return recorder


def main():
    sys.setswitchinterval(1e-6)
    good = record(LockedQueue()).check("queue")
    print(good)
    for _ in range(100):
        bad = record(HastyQueue()).check("queue")
        if bad.verdict == "violation":
            break
    print(bad.minimize())
    sys.exit(0 if good and bad.verdict == "violation" else 1)


if __name__ == "__main__":
    main()
