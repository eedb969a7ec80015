#!/usr/bin/env python3
"""CPU milliseconds (user + system) and page faults of short commands whose runs alternate.

    benches/alternate.py RUNS COMMAND COMMAND...

Each command is one argument, written as for a shell. The speed of a shared machine varies over seconds, so commands that are compared
should alternate. Prints best run, lower quartile and median; an exit code above 1 ends it."""

import os
import shlex
import statistics
import sys


def run(command, null):
    """CPU milliseconds and page faults of one run."""
    outputs = [(os.POSIX_SPAWN_DUP2, null, 1), (os.POSIX_SPAWN_DUP2, null, 2)]
    try:
        process = os.posix_spawnp(command[0], command, os.environ, file_actions=outputs)
    except OSError as error:
        sys.exit(f"{command[0]}: {error.strerror}")
    _, status, used = os.wait4(process, 0)
    if os.waitstatus_to_exitcode(status) not in (0, 1):
        sys.exit(f"{command[0]}: exit status {os.waitstatus_to_exitcode(status)}")
    return 1e3 * (used.ru_utime + used.ru_stime), used.ru_minflt


def main():
    if len(sys.argv) < 3 or not sys.argv[1].isdigit() or int(sys.argv[1]) == 0:
        sys.exit(__doc__)
    commands = [shlex.split(command) for command in sys.argv[2:]]
    null = os.open(os.devnull, os.O_WRONLY)
    runs = [[run(command, null) for command in commands] for _ in range(int(sys.argv[1]))]
    print(f"{'best':>9} {'quartile':>9} {'median':>9} {'faults':>8}")
    for command, measured in zip(commands, zip(*runs)):
        times = sorted(time for time, _ in measured)
        faults = statistics.median(faults for _, faults in measured)
        quartile, median = times[len(times) // 4], statistics.median(times)
        print(f"{times[0]:9.2f} {quartile:9.2f} {median:9.2f} {faults:8.0f}  {' '.join(command[:2])}")


main()
