#!/usr/bin/env python3
"""Runs the survey of released components and prints its rows as a Markdown table.

    lineup-targets/survey.py OMNILINK [rust] [cpp] [--time-limit 15s] [--include DIR] [--library DIR] [--only NAME] [--json FILE]

Rust components are the `#[test]` functions of lineup-targets/survey, C++ components the values of COMPONENT in
lineup-targets/cpp/survey.cpp, whose libraries come from Debian's packages. Each is checked by
`omnilink lineup … --auto 2 --jobs 1 --time-limit LIMIT`.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent


def lineup(omnilink, arguments, limit):
    command = [omnilink, "lineup", *arguments, "--auto", "2", "--jobs", "1", "--time-limit", limit, "--json"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    evidence = [json.loads(line) for line in ran.stdout.splitlines() if line.startswith("{")]
    if not evidence:
        print(f"{' '.join(command)}: {ran.stderr.strip()[-2000:]}", file=sys.stderr)
    return evidence


def versions():
    """The releases of crates, from the lock file."""
    lock = (HERE / "survey" / "Cargo.lock").read_text()
    return dict(re.findall(r'name = "([^"]+)"\nversion = "([^"]+)"', lock))


def named(name, releases):
    """`spin Mutex` as `spin 0.10.1 Mutex`; the standard library has no release of its own."""
    crate, _, rest = name.partition(" ")
    return f"{crate} {releases[crate]} `{rest}`" if crate in releases and rest else name


def bound(evidence):
    """The largest number of preemptions of which all runs of all matrices were made."""
    phases = [phase for phase in evidence.get("phases", []) if phase["preemptions"] is not None]
    complete = -1
    for phase in phases:
        if not phase["complete"] or phase["preemptions"] != complete + 1:
            break
        complete += 1
    return str(complete) if complete >= 0 else ""


def row(evidence, releases):
    name = named(evidence["input"], releases)
    executions = f"{evidence['executions']:,}"
    if evidence["verdict"] == "violation":
        violation = evidence["violation"]
        matrix = violation["matrix"].replace("|", "\\|")
        return f"| {name} | until found | {executions} | | **{violation['diagnosis']}**: `{matrix}` |"
    if evidence["verdict"] == "valid":
        return f"| {name} | {evidence['matrices']} | {executions} | {bound(evidence)} | no violation |"
    reason = evidence.get("unknown", {}).get("reason")
    reached = "; ".join([evidence["scope"]["matrices"]] if evidence.get("scope") else []) or reason or evidence["unknown"]["limit"]
    return f"| {name} | {evidence['matrices']} | {executions} | {bound(evidence)} | nothing found; stopped after {reached} |"


def rust(omnilink, limit, only):
    targets = [only] if only else ["cells", "channels", "collections", "further"]
    for target in targets:
        yield from lineup(omnilink, [str(HERE / "survey"), "--test", target], limit)


def cpp(omnilink, limit, only, include, library):
    source = HERE / "cpp" / "survey.cpp"
    names = re.findall(r"#define KIND_(\w+) \d+", source.read_text())
    for name in [only] if only else names:
        flags = [f"-DCOMPONENT={name}", "-std=c++20"]
        flags += [f"-I{folder}" for folder in include]
        if name.startswith("tbb"):
            flags += [f"-L{folder}" for folder in library] + [f"-Wl,-rpath,{folder}" for folder in library] + ["-ltbb"]
        yield from lineup(omnilink, ["--cpp", str(source), *(f"--cxxflag={flag}" for flag in flags)], limit)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("omnilink")
    parser.add_argument("languages", nargs="*", default=["rust", "cpp"])
    parser.add_argument("--time-limit", default="15s")
    parser.add_argument("--include", action="append", default=[])
    parser.add_argument("--library", action="append", default=[])
    parser.add_argument("--only")
    parser.add_argument("--json", type=pathlib.Path)
    given = parser.parse_args()
    releases = versions()
    kept = given.json.open("a") if given.json else None
    print("| release | matrices | executions | bound | verdict |\n|---|---|---|---|---|")
    for language in given.languages or ["rust", "cpp"]:
        answers = (
            rust(given.omnilink, given.time_limit, given.only)
            if language == "rust"
            else cpp(given.omnilink, given.time_limit, given.only, given.include, given.library)
        )
        for evidence in answers:
            print(row(evidence, releases), flush=True)
            if kept:
                kept.write(json.dumps(evidence) + "\n")
                kept.flush()


if __name__ == "__main__":
    main()
