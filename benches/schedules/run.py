#!/usr/bin/env python3
"""How many schedules each strategy of `omnilink test` needs to make each test fail: the median over some seeds.

    benches/schedules/run.py [OMNILINK] [SEEDS] [SCHEDULES]
"""
import json
import os
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
OMNILINK = sys.argv[1] if len(sys.argv) > 1 else "omnilink"
SEEDS = int(sys.argv[2]) if len(sys.argv) > 2 else 20
SCHEDULES = int(sys.argv[3]) if len(sys.argv) > 3 else 1000
STRATEGIES = ["random", "pct", "pos", "surw", "rff", "mixed"]


def found(strategy, seed):
    """For each test the number of the first schedule that failed, or none."""
    command = [OMNILINK, "test", "--json", "--quiet", "--strategy", strategy, "--seed", str(seed), "--schedules", str(SCHEDULES)]
    command += ["--shrinking-runs", "0", "--no-store"]
    output = subprocess.run(command, cwd=HERE, capture_output=True, text=True).stdout
    results = [json.loads(line) for line in output.splitlines()]
    return {one["input"].split("::")[-1]: one.get("violation", {}).get("found_in") for one in results}


table = {strategy: [found(strategy, seed) for seed in range(SEEDS)] for strategy in STRATEGIES}
tests = sorted(table[STRATEGIES[0]][0])
print("| test | " + " | ".join(STRATEGIES) + " |")
print("|---|" + "---:|" * len(STRATEGIES))
best = {strategy: 0 for strategy in STRATEGIES}
for test in tests:
    medians = {}
    for strategy in STRATEGIES:
        numbers = [one.get(test) for one in table[strategy]]
        medians[strategy] = statistics.median_low([SCHEDULES if number is None else number for number in numbers])
    least = min(medians.values())
    for strategy in STRATEGIES:
        best[strategy] += medians[strategy] == least
    cells = [str(medians[s]) if medians[s] < SCHEDULES else f"> {SCHEDULES}" for s in STRATEGIES]
    print(f"| `{test}` | " + " | ".join(cells) + " |")
print("| best | " + " | ".join(str(best[s]) for s in STRATEGIES) + " |")
