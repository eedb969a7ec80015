"""One map, written in 26 styles, on one trace: verdict, configurations, CPU time and peak memory, with the ratio to the best style.

usage: run.py OMNILINK TRACE.ndjson [SECONDS]

A style may use SECONDS of CPU time (20 unless told) and four times as much by the clock: so the table ends after a known time, however
slow a style is and however busy the machine. What does not end in time is shown with the CPU time that it had until then.

generate.py makes the traces: `generate.py 5 200000 100 1 sparse.ndjson`, `generate.py 30 3000 12 1 dense.ndjson`.
"""
import glob
import json
import os
import resource
import subprocess
import sys
import threading

tool, trace = sys.argv[1:3]
limit = int(sys.argv[3]) if len(sys.argv) > 3 else 20
here = os.path.dirname(os.path.abspath(__file__))
rows = []
for spec in sorted(glob.glob(os.path.join(here, "*.tla"))):
    name = os.path.basename(spec)[:-4]
    if name == "MapImpl":
        continue
    print(f"{name} …", file=sys.stderr, flush=True)
    command = [tool, "validate", "--json", spec, "--const", "NoValue=0", "--collect", "Keys=key,lo,hi", trace]
    child = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit)),
    )
    clock = threading.Timer(4 * limit, child.kill)
    clock.start()
    out = child.stdout.read()
    _, status, usage = os.wait4(child.pid, 0)
    clock.cancel()
    is_stopped = os.WIFSIGNALED(status)
    answer = {} if is_stopped or not out else json.loads(out)
    verdict = "stopped" if is_stopped else answer.get("verdict", "error")
    rows.append((name, verdict, answer.get("configurations"), usage.ru_utime, usage.ru_maxrss // 1024))
done = [row for row in rows if row[2]]
fewest = min((row[2] for row in done), default=1)
fastest = min((row[3] for row in done), default=1) or 0.01
print("| style | verdict | configurations | ratio | CPU s | ratio | MB |\n|---|---|---|---|---|---|---|")
for name, verdict, configurations, seconds, memory in rows:
    if configurations is None:
        print(f"| {name} | {verdict} | - | - | > {seconds:.0f} | - | {memory} |")
        continue
    print(
        f"| {name} | {verdict} | {configurations:,} | {configurations / fewest:.1f}x | {seconds:.2f} "
        f"| {seconds / fastest:.1f}x | {memory} |"
    )
