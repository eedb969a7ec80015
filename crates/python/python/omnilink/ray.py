"""Batches and campaigns on a Ray cluster: `pip install omnilink[ray]`.

    python -m omnilink.ray check --model queue runs/*.ndjson
    python -m omnilink.ray validate Queue.tla runs/*.ndjson --const N=3
    python -m omnilink.ray fuzz --shards 8 --store nightly.db -- --spec Queue.tla --runs 10000 -- ./harness

Every trace, and every shard of a campaign, is a task. A task whose worker is lost is run again, up to five times. Traces, specifications,
programs and this package must be at the same place on every machine (a container, a shared folder).

Exit codes are those of the command: 0 all valid; 1 a violation or a finding; 2 bad usage or bad input; 3 unknown.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time

import ray

import omnilink

RETRIES = 5
# From the least to the worst.
SEVERITY = [0, 3, 1, 2]
CODES = {"valid": 0, "unknown": 3, "violation": 1}


@ray.remote(max_retries=RETRIES, num_cpus=1)
def check_task(folder, function, first, trace, options):
    """One trace; the exit code, and the evidence as JSON or what is wrong."""
    os.chdir(folder)
    try:
        result = omnilink.check(trace, **options) if function == "check" else omnilink.validate(first, trace, **options)
    except omnilink.Error as error:
        return 2, str(error)
    return CODES[result.verdict], result._answer.json()


def check_all(function, first, traces, options, evidence):
    """Checks traces in parallel, and prints the verdict of each as it is known."""
    words = {code: verdict for verdict, code in CODES.items()}
    tasks = {check_task.remote(os.getcwd(), function, first, trace, options): trace for trace in traces}
    waiting, worst, lines = list(tasks), 0, {}
    while waiting:
        (done,), waiting = ray.wait(waiting)
        code, told = ray.get(done)
        worst = max(worst, code, key=SEVERITY.index)
        if code == 2:
            print(f"error: {tasks[done]}: {told}", file=sys.stderr)
            continue
        lines[tasks[done]] = told
        print(f"{words[code]}: {tasks[done]}", flush=True)
    if evidence is not None:
        with open(evidence, "w", encoding="utf-8") as file:
            file.writelines(lines[trace] + "\n" for trace in traces if trace in lines)
    return worst


@ray.remote
class Progress:
    """How many runs each shard has made."""

    def __init__(self):
        self.runs, self.findings = {}, {}

    def tell(self, shard, runs, findings):
        self.runs[shard], self.findings[shard] = runs, findings

    def totals(self):
        return sum(self.runs.values()), sum(self.findings.values())


@ray.remote(max_retries=RETRIES, num_cpus=1)
def fuzz_task(shard, shards, name, options, harness, folder, progress):
    """One shard; returns the exit code, the store, and what was said if it could not be run."""
    with tempfile.TemporaryDirectory() as scratch:
        store = os.path.join(scratch, "shard.db")
        shard_options = ["--campaign", name, "--shard", f"{shard}/{shards}", "--store", store, "--json"]
        words = [omnilink.find_command(), "fuzz", *options, *shard_options, "--", *harness]
        process = subprocess.Popen(words, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
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


def fuzz(given, options, harness):
    """Runs the shards of a campaign, shows progress, and merges their stores."""
    progress = Progress.options(num_cpus=0).remote()
    tasks = {
        fuzz_task.remote(shard, given.shards, given.name, options, harness, os.getcwd(), progress): shard
        for shard in range(1, given.shards + 1)
    }
    command = omnilink.find_command()
    waiting, worst = list(tasks), 0
    while waiting:
        done, waiting = ray.wait(waiting, timeout=2)
        runs, findings = ray.get(progress.totals.remote())
        print(f"{runs} runs, {findings} findings, {len(waiting)} of {given.shards} shards to go", file=sys.stderr)
        for task in done:
            code, store, said = ray.get(task)
            if not store:
                sys.exit(f"shard {tasks[task]}: {said}")
            worst = max(worst, code, key=SEVERITY.index)
            with tempfile.NamedTemporaryFile(suffix=".db") as file:
                file.write(store)
                file.flush()
                subprocess.run([command, "runs", "import", file.name, "--store", given.store], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([command, "runs", "ls", "--store", given.store, "--campaign", given.name, "--limit", "0"], check=True)
    return worst


def arguments():
    parser = argparse.ArgumentParser(prog="python -m omnilink.ray", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    cluster = argparse.ArgumentParser(add_help=False)
    cluster.add_argument("--address", help="the cluster, such as auto; a local one if not given")
    cluster.add_argument("--workers", type=int, help="workers of a local cluster")
    traces = argparse.ArgumentParser(add_help=False)
    traces.add_argument("traces", nargs="+")
    traces.add_argument("--consistency")
    traces.add_argument("--time-limit", type=float, help="seconds for each trace")
    traces.add_argument("--minimize", action="store_true", default=None)
    traces.add_argument("--evidence", help="write the evidence, one JSON object per trace")
    commands = parser.add_subparsers(dest="command", required=True)
    check = commands.add_parser("check", parents=[cluster, traces])
    check.add_argument("--model")
    # Its parents come in order: the specification stands before the traces.
    spec = argparse.ArgumentParser(add_help=False)
    spec.add_argument("spec")
    validate = commands.add_parser("validate", parents=[cluster, spec, traces])
    validate.add_argument("--config")
    validate.add_argument("--link")
    validate.add_argument("--const", action="append", default=[], metavar="NAME=EXPR")
    validate.add_argument("--collect", action="append", default=[], metavar="NAME=FIELD,…")
    campaign = commands.add_parser("fuzz", parents=[cluster], epilog="-- OPTIONS of omnilink fuzz -- HARNESS")
    campaign.add_argument("--shards", type=int, required=True)
    campaign.add_argument("--store", default="omnilink-runs.db", help="the merged store")
    campaign.add_argument("--name", default=f"campaign-{int(time.time())}", help="the campaign; the same name goes on with it")
    return parser


def pairs(texts, parser):
    for text in texts:
        if "=" not in text:
            parser.error(f"{text}: expected NAME=VALUE")
    return dict(text.split("=", 1) for text in texts)


def main(words=None):
    words = sys.argv[1:] if words is None else words
    parser = arguments()
    at = words.index("--") if "--" in words else len(words)
    given, rest = parser.parse_args(words[:at]), words[at + 1 :]
    if given.command == "fuzz" and "--" not in rest:
        parser.error("where is the harness? … -- OPTIONS -- ./harness")
    options = {name: getattr(given, name, None) for name in ["model", "consistency", "time_limit", "minimize", "config", "link"]}
    options = {name: value for name, value in options.items() if value is not None}
    if given.command == "validate":
        options["const"] = pairs(given.const, parser)
        options["collect"] = {name: fields.split(",") for name, fields in pairs(given.collect, parser).items()}
    ray.init(address=given.address, num_cpus=given.workers if given.address is None else None, log_to_driver=False)
    if given.command == "fuzz":
        harness = rest.index("--")
        sys.exit(fuzz(given, rest[:harness], rest[harness + 1 :]))
    sys.exit(check_all(given.command, getattr(given, "spec", None), given.traces, options, given.evidence))


if __name__ == "__main__":
    main()
