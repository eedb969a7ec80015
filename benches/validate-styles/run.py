"""One map, written in 26 styles, on one trace: verdict, configurations, CPU time and peak memory, with the ratio to the best style.

usage: run.py OMNILINK TRACE.ndjson [SECONDS]      (SECONDS of CPU time each, default 20)

generate.py makes the traces: `generate.py 5 200000 100 1 sparse.ndjson`, `generate.py 30 3000 12 1 dense.ndjson`.
"""
import glob
import json
import os
import resource
import subprocess
import sys

tool, trace = sys.argv[1:3]
limit = int(sys.argv[3]) if len(sys.argv) > 3 else 20
here = os.path.dirname(os.path.abspath(__file__))
rows = []
for spec in sorted(glob.glob(os.path.join(here, "*.tla"))):
    name = os.path.basename(spec)[:-4]
    if name == "MapImpl":
        continue
    command = [tool, "validate", "--json", spec, "--const", "NoValue=0", "--collect", "Keys=key,lo,hi", trace]
    child = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit)),
    )
    out = child.stdout.read()
    _, status, usage = os.wait4(child.pid, 0)
    answer = {} if os.WIFSIGNALED(status) or not out else json.loads(out)
    rows.append((name, answer.get("verdict"), answer.get("configurations"), usage.ru_utime, usage.ru_maxrss // 1024))
done = [row for row in rows if row[2]]
fewest = min((row[2] for row in done), default=1)
fastest = min((row[3] for row in done), default=1) or 0.01
print("| style | verdict | configurations | ratio | CPU s | ratio | MB |\n|---|---|---|---|---|---|---|")
for name, verdict, configurations, seconds, memory in rows:
    if configurations is None:
        print(f"| {name} | {verdict or 'stopped'} | - | - | > {seconds:.1f} | - | {memory} |")
        continue
    print(
        f"| {name} | {verdict} | {configurations:,} | {configurations / fewest:.1f}x | {seconds:.2f} "
        f"| {seconds / fastest:.1f}x | {memory} |"
    )
