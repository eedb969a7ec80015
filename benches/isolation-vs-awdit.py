#!/usr/bin/env python3
"""The same transactions through omnilink and through AWDIT: CPU seconds (user + system, reading included) and memory, best of some alternating runs.

    benches/isolation-vs-awdit.py OMNILINK AWDIT [--transactions 1000000] [--runs 3] [--keep FILE]

Ten sessions in turn, transactions of four reads and four writes of unique values over one key per twenty transactions, serial, in Plume's text.
AWDIT's levels have sessions, so ours are those with sessions. Both must find the file valid. The last column is AWDIT's time over ours: above 1, ours is faster.
"""
import argparse
import os
import random
import sys
import tempfile

LEVELS = [
    ("monotonic-read-committed", "read-committed"),
    ("strong-session-read-atomic", "read-atomic"),
    ("causal", "causal"),
]


def write_history(file, count):
    rng = random.Random(1)
    keys = max(1, count // 20)
    held = {}
    value = 0
    for number in range(count):
        session = number % 10
        own = {}
        for step in range(8):
            key = rng.randrange(keys)
            if step % 2 == 0:
                file.write(f"r({key},{own.get(key, held.get(key, 0))},{session},{number})\n")
            else:
                value += 1
                own[key] = value
                file.write(f"w({key},{value},{session},{number})\n")
        held.update(own)


def run(command):
    """CPU seconds and peak of memory in MB of a run that must end well."""
    with tempfile.TemporaryFile() as output:
        outputs = [(os.POSIX_SPAWN_DUP2, output.fileno(), 1), (os.POSIX_SPAWN_DUP2, output.fileno(), 2)]
        process = os.posix_spawnp(command[0], command, os.environ, file_actions=outputs)
        _, status, used = os.wait4(process, 0)
        code = os.waitstatus_to_exitcode(status)
        if code != 0:
            output.seek(0)
            sys.exit(f"error: {' '.join(command)} ended with {code}:\n{output.read()[-2000:].decode(errors='replace')}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1000


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("omnilink")
    parser.add_argument("awdit")
    parser.add_argument("--transactions", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--keep", help="where the history is kept, and found again")
    arguments = parser.parse_args()
    path = arguments.keep or os.path.join(tempfile.mkdtemp(), "history.txt")
    if not os.path.exists(path):
        with open(path, "w") as file:
            write_history(file, arguments.transactions)
    print(f"{'level':28} {'ours s':>8} {'MB':>7} {'AWDIT s':>8} {'MB':>7} {'ratio':>7}")
    for ours, theirs in LEVELS:
        best = [None, None]
        commands = [
            [arguments.omnilink, "check", path, "--consistency", ours],
            [arguments.awdit, "check", "-i", theirs, "--stack-size", "4096", path],
        ]
        for _ in range(arguments.runs):
            for at, command in enumerate(commands):
                seconds, megabytes = run(command)
                if best[at] is None or seconds < best[at][0]:
                    best[at] = (seconds, megabytes)
        (own, own_memory), (other, other_memory) = best
        print(f"{ours:28} {own:8.2f} {own_memory:7.0f} {other:8.2f} {other_memory:7.0f} {other / own:6.2f}x", flush=True)


main()
