#!/usr/bin/env python3
"""Compares our translation of PlusCal algorithms with the translations that public modules have.

usage: pluscal-corpus.py COMMAND FOLDER [--reference "COMMAND OF ANOTHER TRANSLATOR"] [--seconds N] [--only PART_OF_PATH]

COMMAND is the omnilink binary, FOLDER holds checkouts of repositories. Prints a line per module, with tabs between the columns, and
then how many there are of each kind:

  path
  stored     the translation in the file: none, same (as ours, up to what docs/pluscal.md lists), or what differs
  ours       ok, or the first error of our translator
  reference  what the other translator writes: equal (white space aside), same, or what differs; or its first error
  states     verdict and distinct states with the file's own translation (or the other translator's) and with ours: equal, or both;
             `limit` if either did not end in time, `-` if there is no configuration and there are constants, or with --seconds 0

A module that occurs several times counts once. The other translator is given the path of a copy of the module, which it rewrites.
"""
import argparse, collections, hashlib, json, pathlib, re, resource, shlex, shutil, subprocess, tempfile

parser = argparse.ArgumentParser()
parser.add_argument("command", type=pathlib.Path)
parser.add_argument("folder", type=pathlib.Path)
parser.add_argument("--reference", type=shlex.split)
parser.add_argument("--seconds", type=int, default=10)
parser.add_argument("--only", default="")
arguments = parser.parse_args()
command = str(arguments.command.resolve())

ALGORITHM = re.compile(r"--algorithm\b|--fair\s+algorithm\b")
BETWEEN = re.compile(r"BEGIN\s+TRANSLATION\b[^\n]*\n(.*?)[^\n]*\bEND\s+TRANSLATION\b", re.S)
CONSTANTS = re.compile(r"^\s*CONSTANTS?\b", re.M)


def run(words, seconds=60):
    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (seconds + 20, seconds + 20))

    try:
        return subprocess.run(words, capture_output=True, text=True, errors="replace", preexec_fn=limit, timeout=4 * seconds + 60)
    except subprocess.TimeoutExpired:
        return None


def first_error(ran):
    if ran is None:
        return "error: timeout"
    lines = [line.strip() for line in (ran.stdout + "\n" + ran.stderr).splitlines()]
    told = [line for line in lines if line and "Version" not in line]
    wanted = [line for line in told if line.startswith(("error", "-- "))] or told or ["no message"]
    return "error: " + re.sub(r"^(error(\[\w+\])?:|--)\s*", "", wanted[0])[:150]


def between(text):
    found = BETWEEN.search(text)
    return re.sub(r"\s+", "", found[1]) if found else ""


def checked(path):
    """Whether the translation in a file is ours."""
    ran = run([command, "tla", "translate", "--check", str(path)])
    if ran and ran.returncode == 0:
        return "same"
    return ran.stdout.strip().split(": ", 1)[-1].replace("not up to date: ", "differs: ") if ran and ran.returncode == 1 else first_error(ran)


def referred(path, copy):
    """What the other translator makes of a copy."""
    ran = run(arguments.reference + [str(copy)], 120)
    text = copy.read_text(errors="replace")
    if ran is None or ran.returncode != 0 or not between(text):
        return first_error(ran)
    ours = run([command, "tla", "translate", "--stdout", str(path)])
    if ours.returncode == 0 and re.sub(r"\s+", "", ours.stdout) == between(text):
        return "equal"
    return checked(copy)


def explored(path, folder, config, choice):
    """Explores a copy, which is named like the module."""
    name = re.search(r"-{4,}\s*MODULE\s+(\w+)", path.read_text(errors="replace"))
    copy = config.parent / choice / (name[1] + ".tla" if name else path.name)
    copy.parent.mkdir(exist_ok=True)
    shutil.copy(path, copy)
    return re.sub(re.escape(str(copy)), copy.name, outcome(copy, folder, config, choice))


def outcome(path, folder, config, choice):
    words = [command, "mc", str(path), "--config", str(config), "--pluscal", choice, "--json", "--memory-limit", "2GB"]
    ran = run(words + ["--time-limit", f"{arguments.seconds}s", "-L", str(folder)], arguments.seconds)
    try:
        evidence = json.loads(ran.stdout.splitlines()[0])
    except (AttributeError, IndexError, ValueError):
        return first_error(ran)
    verdict = evidence["verdict"]
    if verdict in ("valid", "violation"):
        return f"{verdict} {evidence.get('violated') or ''} {evidence['distinct']}"
    return "limit" if verdict == "unknown" else first_error(ran)


def compared(path, with_translation, scratch):
    text = path.read_text(errors="replace")
    config = path.with_suffix(".cfg")
    if not config.exists() or not re.search(r"\b(SPECIFICATION|INIT)\b", config.read_text(errors="replace")):
        if CONSTANTS.search(text) or re.search(r"\bdefaultInitValue\b", with_translation.read_text(errors="replace")):
            return "-"
        settings = "SPECIFICATION Spec\n"
    else:
        settings = config.read_text(errors="replace")
    config = scratch / "Model.cfg"
    config.write_text(settings)
    theirs = explored(with_translation, path.parent, config, "use")
    if theirs == "limit":
        return theirs
    ours = explored(path, path.parent, config, "translate")
    if ours == "limit":
        return ours
    return f"equal: {ours}" if ours == theirs else f"differ: {theirs} | {ours}"


def kind(text):
    return re.split(r": ", text)[0]


seen, counts = set(), collections.defaultdict(collections.Counter)
for path in sorted(arguments.folder.rglob("*.tla")):
    if arguments.only not in str(path):
        continue
    text = path.read_text(errors="replace")
    digest = hashlib.sha256("\n".join(text.split()).encode()).digest()
    if not ALGORITHM.search(text) or digest in seen:
        continue
    seen.add(digest)
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        stored = checked(path) if re.search(r"==", BETWEEN.search(text)[1] if BETWEEN.search(text) else "") else "none"
        ran = run([command, "tla", "translate", "--stdout", str(path)])
        ours = "ok" if ran and ran.returncode == 0 else first_error(ran)
        reference, states, other = "-", "-", path
        if arguments.reference:
            other = scratch / path.name
            shutil.copy(path, other)
            reference = referred(path, other)
        if ours == "ok" and arguments.seconds:
            if stored != "none":
                states = compared(path, path, scratch)
            elif kind(reference) in ("equal", "same", "differs"):
                states = compared(path, other, scratch)
        row = [str(path.relative_to(arguments.folder)), stored, ours, reference, states]
        print("\t".join(row), flush=True)
        for column, value in zip(("stored", "ours", "reference", "states"), row[1:]):
            counts[column][kind(value)] += 1
print(f"\n{len(seen)} modules")
for column, kinds in counts.items():
    print(f"{column}: " + ", ".join(f"{number} {name}" for name, number in kinds.most_common()))
