"""Runs the shards of a campaign on a Ray cluster, shows progress, and merges their stores.

    python3 fuzz.py --shards 8 --store nightly.db -- --spec Queue.tla --runs 10000 -- ./harness

What stands after the first -- are arguments of `omnilink fuzz`. Every shard is a Ray task with a store of its own. The store of a shard
comes back as bytes when it is done; a task whose worker is lost is run again by Ray, here up to five times, and the runs of a shard depend on its number only.
The program, the specification and `omnilink` must be at the same place on every machine (a container, a shared folder).
"""
import argparse
import os
import subprocess
import sys
import tempfile
import time

import ray


@ray.remote
class Progress:
    """How many runs each shard has made."""

    def __init__(self):
        self.runs, self.findings = {}, {}

    def tell(self, shard, runs, findings):
        self.runs[shard], self.findings[shard] = runs, findings

    def totals(self):
        return sum(self.runs.values()), sum(self.findings.values())


@ray.remote(max_retries=5, num_cpus=1)
def fuzz(shard, shards, name, arguments, folder, progress):
    """One shard; returns the exit code, the store, and what was said if it could not be run."""
    with tempfile.TemporaryDirectory() as scratch:
        store = os.path.join(scratch, "shard.db")
        options, command = split(arguments)
        call = ["omnilink", "fuzz", *options, "--campaign", name, "--shard", f"{shard}/{shards}", "--store", store, "--json", "--", *command]
        process = subprocess.Popen(call, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        runs = findings = 0
        for line in process.stdout:
            if line.startswith('{"run"'):
                runs += 1
                findings += '"finding":null' not in line
                progress.tell.remote(shard, runs, findings)
        said = process.stderr.read()
        code = process.wait()
        if not os.path.exists(store):
            return code, b"", said
        # The log of SQLite becomes part of the file when the last connection is closed, which it is.
        with open(store, "rb") as file:
            return code, file.read(), said


def split(arguments):
    """The options of omnilink fuzz, and the harness with its arguments."""
    if "--" not in arguments:
        sys.exit("where is the harness? … -- OPTIONS -- ./harness")
    at = arguments.index("--")
    return arguments[:at], arguments[at + 1 :]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shards", type=int, required=True)
    parser.add_argument("--store", default="omnilink-runs.db", help="the merged store")
    parser.add_argument("--name", default=f"campaign-{int(time.time())}", help="the campaign; the same name goes on with it")
    parser.add_argument("--address", help="the cluster, such as auto; a local one if not given")
    parser.add_argument("--workers", type=int, help="workers of a local cluster")
    at = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    given, arguments = parser.parse_args(sys.argv[1:at]), sys.argv[at + 1 :]
    split(arguments)
    ray.init(address=given.address, num_cpus=given.workers if given.address is None else None, log_to_driver=False)
    progress = Progress.options(num_cpus=0).remote()
    tasks = {
        fuzz.remote(shard, given.shards, given.name, arguments, os.getcwd(), progress): shard
        for shard in range(1, given.shards + 1)
    }
    waiting, worst = list(tasks), 0
    while waiting:
        done, waiting = ray.wait(waiting, timeout=2)
        runs, findings = ray.get(progress.totals.remote())
        print(f"{runs} runs, {findings} findings, {len(waiting)} of {given.shards} shards to go", file=sys.stderr)
        for task in done:
            code, store, said = ray.get(task)
            if not store:
                sys.exit(f"shard {tasks[task]}: {said}")
            # Exit codes: 1 a finding, 2 runs that could not be checked, 3 unknown; the worst is the campaign's.
            worst = max(worst, code, key=[0, 3, 1, 2].index)
            with tempfile.NamedTemporaryFile(suffix=".db") as file:
                file.write(store)
                file.flush()
                subprocess.run(["omnilink", "runs", "import", file.name, "--store", given.store], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["omnilink", "runs", "ls", "--store", given.store, "--campaign", given.name, "--limit", "0"], check=True)
    sys.exit(worst)


if __name__ == "__main__":
    main()
