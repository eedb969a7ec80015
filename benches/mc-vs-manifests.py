#!/usr/bin/env python3
"""Compares `omnilink mc` with the manifests of github.com/tlaplus/Examples.

usage: mc-vs-manifests.py CHECKOUT COMMAND [CPU_SECONDS [PART_OF_PATH]]

COMMAND is the omnilink binary. Runs every model whose manifest says that it is exhaustive and takes TLC at most 30 s, from the
folder of the checkout, and compares result and distinct states.
"""
import json, pathlib, resource, subprocess, sys, time

checkout, command = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
limit = float(sys.argv[3]) if len(sys.argv) > 3 else 120
only = sys.argv[4] if len(sys.argv) > 4 else ""


def seconds(text):
    parts = text.split(":")
    return sum(int(p) * 60 ** i for i, p in enumerate(reversed(parts))) if parts[0].isdigit() else None


def models():
    for manifest in sorted(checkout.glob("specifications/*/manifest.json")):
        for module in json.loads(manifest.read_text())["modules"]:
            for model in module["models"]:
                runtime = seconds(model["runtime"])
                if model["mode"] == "exhaustive search" and runtime is not None and runtime <= 30 and only in model["path"]:
                    yield module["path"], model


def run(spec, model):
    config = checkout / model["path"]
    spec = checkout / spec
    args = [command, "mc", spec, "--config", config, "--json"]
    started = time.time()
    try:
        cpu = lambda: resource.setrlimit(resource.RLIMIT_CPU, (int(limit), int(limit)))
        ran = subprocess.run(args, cwd=checkout, capture_output=True, text=True, preexec_fn=cpu, timeout=60 * limit)
        if ran.returncode < 0:
            return {"verdict": "timeout", "seconds": limit}
    except subprocess.TimeoutExpired:
        return {"verdict": "timeout", "seconds": limit}
    try:
        answer = json.loads(ran.stdout.splitlines()[-1])
    except (IndexError, ValueError):
        answer = {"verdict": "crash", "error": (ran.stderr.strip() or "no output")[:300]}
    answer["seconds"] = time.time() - started
    return answer


EXPECTED = {"success": ("valid", None), "safety failure": ("violation", {"invariant", "property", "assert"}),
            "liveness failure": ("violation", {"property"}), "deadlock failure": ("violation", {"deadlock"}),
            "assumption failure": ("violation", {"assumption"})}

agree, differ = 0, 0
for spec, model in models():
    answer = run(spec, model)
    path, result, verdict = model["path"].removeprefix("specifications/"), model["result"], answer["verdict"]
    kind = (answer.get("violation") or {}).get("kind")
    wanted, kinds = EXPECTED.get(result, (None, None))
    same = verdict == wanted and (kinds is None or kind in kinds)
    if same and result == "success" and "distinctStates" in model:
        same = model["distinctStates"] == answer.get("distinct")
    line = f"{path}: {result}, {model.get('distinctStates')} distinct; here {verdict} {kind or ''} {answer.get('distinct')} in {answer['seconds']:.1f} s"
    agree, differ = agree + same, differ + (not same)
    print("ok  " if same else "DIFF", line, flush=True)
    if not same:
        problem = answer.get("error") or "; ".join(d["message"] + f" ({d['file']}:{d['span']['line']})" for d in answer.get("diagnostics", []) if d["severity"] == "error")
        print("     ", (problem or "").replace("\n", "\n      ")[:600], flush=True)
print(f"\n{agree} of {agree + differ} agree")
