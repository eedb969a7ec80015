#!/usr/bin/env python3
"""The step of the GitHub Action (action.yml): installs the wheel, runs the command, and writes evidence, SARIF and the page.

Inputs are the variables OMNILINK_COMMAND, OMNILINK_PACKAGE and OMNILINK_FAIL_ON_UNKNOWN, and those of GitHub.
"""
import collections
import glob
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile
import venv

VERDICTS = {0: "valid", 1: "violation", 2: "error", 3: "unknown"}
# Those with --evidence.
COMMANDS = ["check", "validate", "mc", "lineup", "fuzz"]


# How much of what the command says is kept for an annotation.
LINES_MAX = 20


def annotate(message):
    """An error on the page of the run. Line breaks would end the command of GitHub."""
    for character, escape in (("%", "%25"), ("\r", "%0D"), ("\n", "%0A")):
        message = message.replace(character, escape)
    print(f"::error title=OmniLink::{message}", flush=True)


def fail(message):
    annotate(message)
    sys.exit(2)


def run(words):
    """Runs the command: its exit code, and the last lines of what it said on standard error."""
    lines = collections.deque(maxlen=LINES_MAX)
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True, errors="replace") as process:
        for line in process.stderr:
            print(line, end="", file=sys.stderr, flush=True)
            lines.append(line)
    return process.returncode, "".join(lines).strip()


def words_of(command):
    """The words of the command. Wildcards are those of the working directory; nothing is given to a shell."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        fail(f"command: {error}: {command}")
    if not words or words[0] not in COMMANDS:
        fail(f"command: it begins with {', '.join(COMMANDS)}, such as: check runs/*.ndjson --model queue")
    if any(word == "--evidence" or word.startswith("--evidence=") for word in words):
        fail("command: --evidence is added by the action; its file is the output `evidence`")
    # What follows `--` is another command.
    end = words.index("--") if "--" in words else len(words)
    expanded = []
    for word in words[:end]:
        expanded += (glob.has_magic(word) and sorted(glob.glob(word))) or [word]
    return expanded, words[end:]


def installed(package, folder):
    """The command: the one on the path, or a new one."""
    if not package:
        return shutil.which("omnilink") or fail("package: it is empty, and omnilink is not on the path")
    venv.create(folder, with_pip=True)
    pip = [str(folder / "bin/pip"), "install", "--quiet", "--disable-pip-version-check", package]
    if subprocess.run(pip).returncode != 0:
        fail(f"package: pip cannot install {package}")
    return str(folder / "bin/omnilink")


def append(variable, text):
    """Adds to one of GitHub's files, if it is there."""
    if os.environ.get(variable):
        with open(os.environ[variable], "a", encoding="utf-8") as file:
            file.write(text)


def main():
    before, after = words_of(os.environ.get("OMNILINK_COMMAND", ""))
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="omnilink-", dir=os.environ.get("RUNNER_TEMP")))
    omnilink = installed(os.environ.get("OMNILINK_PACKAGE", ""), scratch / "venv")
    folder = scratch / "omnilink"
    folder.mkdir()
    evidence = folder / "evidence.json"
    code, said = run([omnilink, *before, f"--evidence={evidence}", *after])
    verdict = VERDICTS.get(code, "error")
    if verdict == "error":
        annotate(said or f"the command ended with exit code {code}")
    append("GITHUB_OUTPUT", f"verdict={verdict}\n")
    if evidence.is_file() and evidence.stat().st_size > 0:
        def report(form):
            return subprocess.run([omnilink, "report", form, "--", str(evidence)], stdout=subprocess.PIPE, text=True).stdout

        sarif, page = folder / "omnilink.sarif", folder / "omnilink.html"
        sarif.write_text(report("--sarif"), encoding="utf-8")
        subprocess.run([omnilink, "view", str(evidence), "--source", ".", "--html", str(page)], check=True)
        print(report("--github"), end="")
        append("GITHUB_STEP_SUMMARY", report("--markdown"))
        append("GITHUB_OUTPUT", f"evidence={evidence}\nsarif={sarif}\npage={page}\nfolder={folder}\n")
    if verdict == "unknown" and os.environ.get("OMNILINK_FAIL_ON_UNKNOWN") != "true":
        print("::warning title=OmniLink::unknown: a limit was reached before there was an answer")
        code = 0
    sys.exit(code)


main()
