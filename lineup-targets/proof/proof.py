#!/usr/bin/env python3
"""Checks that correct components get no violation and that mutants of them do; prints both tables, and fails if one is wrong.

    lineup-targets/proof/proof.py OMNILINK [--part correct|rust|bugs|survey] [--fast] [--only NAME] [--time-limit 20s]

Every component of locks.cpp and structures.cpp is checked as it stands, under sequential consistency (with and without plain
accesses), under C11 and for leaks: no alarm. The components of rust/ (what is in `std`) and of released/ (parking_lot,
tokio, crossbeam, spin) likewise. Then comes each mutant (`-DM=…`) under the
model that shows its bug: found, with the number of executions. Without --part these three are made; `--part survey` checks the released
crates of ../survey under C11. --fast leaves out what takes long, and is what CI runs.

A check that the time limit ends is no alarm, and is marked: "up to 1" are all runs of all matrices with at most one preemption.
"""

import argparse
import json
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent

# Component: name, K, matrices (or none for all up to 2 x 2), flags, and the mutants with the model that shows them.
LOCKS = [
    ("test and set", 1, [], [], {1: "c11", 2: "c11", 9: "sc"}),
    ("test, then test and set", 2, [], [], {1: "sc", 2: "c11"}),
    ("tickets", 3, [], [], {1: "sc", 2: "c11", 3: "c11"}),
    ("MCS", 4, [], [], {1: "c11", 2: "sc", 3: "c11"}),
    ("futex with three states", 5, [], [], {1: "c11", 2: "sc", 3: "sc", 4: "c11"}),
    ("spin, then sleep", 6, [], [], {1: "sc", 2: "sc"}),
    ("std::mutex", 7, [], [], {9: "sc"}),
    ("std::recursive_mutex", 8, [], [], {}),
    ("pthread_spinlock_t", 9, [], [], {}),
    ("sem_t", 10, [], [], {}),
    ("std::atomic_flag with wait", 11, [], ["-std=c++20"], {1: "c11", 2: "sc"}),
    ("bounded try, then mutex", 12, [], [], {1: "sc"}),
    ("readers and a writer in a word", 13, [], [], {1: "sc", 2: "c11", 3: "c11", 4: "c11"}),
    ("std::shared_mutex", 14, [], [], {1: "sc"}),
    ("pthread_rwlock_t", 15, [], [], {1: "sc"}),
    ("sequence lock", 16, ["write() | read()", "write(), write() | read()"], [], {1: "c11", 2: "c11", 3: "c11", 4: "c11", 5: "sc"}),
    ("semaphore of a condition variable", 17, [], [], {1: "sc", 2: "sc", 3: "3x"}),
    ("event on std::atomic::wait", 18, ["set() | wait()", "set() | wait() | wait()"], ["-std=c++20"], {1: "sc", 2: "c11", 3: "c11"}),
    ("double-checked", 19, [], [], {1: "c11", 2: "c11", 3: "sc"}),
    ("std::call_once that throws", 20, [], [], {}),
    ("pthread_once", 21, [], [], {1: "sc"}),
    ("static variable", 22, [], [], {1: "sc"}),
    ("Dekker", 23, ["first() | second() {both()}"], [], {1: "c11"}),
    ("Peterson", 24, [], [], {1: "sc", 2: "c11"}),
    ("membarrier", 25, ["reader() | private() {both()}", "reader() | global() {both()}"], [], {1: "c11"}),
    ("std::timed_mutex", 26, [], [], {1: "sc"}),
    ("thread in a call", 27, [], [], {1: "sc"}),
]
# The last element but one is taken and stolen at once: two elements and three calls.
CHASE_LEV = ["push(1) | steal()", "push(1), pop() | steal(), steal()", "{push(1), push(1)} pop() | steal(), steal()"]
STRUCTURES = [
    ("ring, one producer, one consumer", 1, [], [], {1: "c11", 2: "sc", 3: "c11", 4: "c11", 5: "c11"}),
    ("queue behind a mutex", 2, [], [], {1: "sc", 2: "sc"}),
    ("queue with two locks", 3, [], [], {1: "sc", 2: "c11"}),
    ("Michael and Scott", 4, [], [], {2: "sc", 3: "c11", 5: "sc"}),
    ("Treiber", 5, [], [], {1: "sc", 2: "c11", 3: "sc", 4: "c11"}),
    ("blocking queue of one", 6, [], [], {1: "sc", 2: "sc"}),
    ("striped map", 7, [], [], {1: "sc", 2: "sc"}),
    ("shared_ptr, replaced", 8, [], [], {1: "sc"}),
    ("shared_ptr, copied", 9, [], [], {1: "sc"}),
    ("count of references", 10, ["one() | other()"], [], {1: "sc", 2: "c11"}),
    ("lazy creation", 11, [], [], {1: "c11", 2: "c11", 3: "leaks", 4: "leaks"}),
    ("double collect", 12, [], [], {1: "sc"}),
    ("counter", 13, [], [], {1: "sc"}),
    ("maximum", 14, [], [], {1: "sc"}),
    ("at most one", 15, [], [], {1: "sc"}),
    ("message behind fences", 16, ["send() | receive()"], [], {1: "c11", 2: "c11"}),
    ("Chase and Lev", 17, CHASE_LEV, [], {1: "c11", 2: "sc", 3: "c11"}),
    ("record, memcpy", 18, [], [], {1: "sc"}),
    ("std::string", 19, [], [], {1: "sc"}),
    ("std::vector", 20, [], [], {1: "sc"}),
    ("std::ostringstream", 21, [], [], {1: "sc"}),
    ("strcpy, strcat, strlen", 22, [], [], {1: "sc"}),
    ("mmap and munmap", 23, [], [], {1: "sc"}),
    ("promise", 24, ["set() | get()", "set() | get() | get()"], [], {}),
    ("hazard pointer", 25, [], [], {1: "sc", 2: "c11", 3: "sc"}),
    ("bounded look", 26, [], [], {}),
    ("gives up and says so", 27, [], [], {1: "sc"}),
    ("copy on write", 28, [], [], {1: "sc"}),
    ("weak_ptr", 29, ["own() | observe()"], [], {1: "sc"}),
]
# With plain accesses as steps a call has ten times as many, and leaks need no other schedules: one preemption is enough to be wrong.
MODELS = {
    "sc": [],
    "3x": ["--shape", "3x2", "--samples", "100"],
    "c11": ["--memory", "c11"],
    "plain": ["--plain", "--preemptions", "1"],
    "leaks": ["--leaks", "--preemptions", "1"],
}
ALL_MODELS = ("sc", "c11", "plain", "leaks")
FAST_MODELS = ("sc", "c11")


def lineup(options, arguments):
    command = [options.omnilink, "lineup", *arguments, "--jobs", "1", "--time-limit", options.time_limit, "--json"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    answers = [json.loads(line) for line in ran.stdout.splitlines() if line.startswith("{")]
    return answers or [{"verdict": "error", "input": " ".join(command), "error": ran.stderr[-1500:]}]


def checked(options, file, component, model, mutant):
    _, k, matrices, flags, _ = component
    arguments = ["--cpp", str(HERE / file), f"--cxxflag=-DK={k}", f"--cxxflag=-DM={mutant}"]
    arguments += [f"--cxxflag={flag}" for flag in flags] + MODELS[model]
    for matrix in matrices:
        arguments += ["--matrix", matrix]
    if not matrices and model != "3x":
        arguments += ["--auto", "2"]
    return lineup(options, arguments)[0]


def shown(answer):
    executions = f"{answer.get('executions', 0):,}"
    if answer["verdict"] == "violation":
        return f"{answer['violation']['diagnosis']}, {executions}"
    if answer["verdict"] == "unknown" and answer.get("unknown", {}).get("limit") == "time":
        bound = (answer.get("scope") or {}).get("preemptions")
        return f"{executions} (up to {bound})" if bound is not None else f"{executions} (a part)"
    return executions if answer["verdict"] == "valid" else f"{answer['verdict']}, {executions}"


class Table:
    """Rows as they come, and what is wrong with them."""

    def __init__(self):
        self.wrong, self.correct, self.found = [], 0, 0

    def row(self, *cells):
        print("| " + " | ".join(cells) + " |", flush=True)

    def expect_silence(self, answer, model):
        if answer["verdict"] not in ("valid", "unknown"):
            self.wrong.append(f"{answer['input']} under {model}: {json.dumps(answer)[:600]}")


def correct(options, table, chosen):
    models = FAST_MODELS if options.fast else ALL_MODELS
    table.row("correct, executions", *models)
    table.row(*["---"] * (1 + len(models)))
    for file, component in chosen:
        answers = [checked(options, file, component, model, 0) for model in models]
        for model, answer in zip(models, answers):
            table.expect_silence({"input": component[0], **answer}, model)
        table.correct += 1
        table.row(component[0], *map(shown, answers))


def packages(options, table, package, target):
    """The components of a Rust package: one row for each."""
    models = FAST_MODELS if options.fast or package == "../survey" else ALL_MODELS
    table.row("correct, executions", *models)
    table.row(*["---"] * (1 + len(models)))
    of = [lineup(options, [str(HERE / package), *target, "--auto", "2", *MODELS[model]]) for model in models]
    for answers in zip(*of):
        table.correct += 1
        table.row(answers[0]["input"], *map(shown, answers))
        # Of the survey's crates some are wrong, or by design: docs/lineup-survey.md.
        if package != "../survey":
            for model, answer in zip(models, answers):
                table.expect_silence(answer, model)


def bugs(options, table, chosen):
    table.row("bug", "model", "answer, executions")
    table.row(*["---"] * 3)
    for file, component in chosen:
        for mutant, model in component[4].items():
            answer = checked(options, file, component, model, mutant)
            table.found += answer["verdict"] == "violation"
            table.row(f"{component[0]}, without {mutant}", model, shown(answer))
            if answer["verdict"] != "violation":
                table.wrong.append(f"{component[0]} mutant {mutant} under {model}: {answer['verdict']} {answer.get('error', '')}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("omnilink")
    parser.add_argument("--part", choices=["correct", "rust", "bugs", "survey"])
    parser.add_argument("--fast", action="store_true")
    parser.add_argument("--only", help="the components whose names contain this")
    parser.add_argument("--time-limit", default="20s", help="of each check")
    options = parser.parse_args()
    chosen = [
        (file, component)
        for file, components in (("locks.cpp", LOCKS), ("structures.cpp", STRUCTURES))
        for component in components
        if options.only is None or options.only in component[0]
    ]
    table = Table()
    if options.part in (None, "correct"):
        correct(options, table, chosen)
    if options.part == "rust" or (options.part is None and options.only is None):
        packages(options, table, "rust", ["--test", "correct"])
        if not options.fast:
            packages(options, table, "released", ["--test", "correct"])
    if options.part == "survey":
        packages(options, table, "../survey", [])
    if options.part in (None, "bugs"):
        bugs(options, table, chosen)
    print(f"\n{table.correct} correct components, {table.found} bugs found; {len(table.wrong)} answers are wrong")
    print("\n".join(table.wrong))
    return bool(table.wrong)


if __name__ == "__main__":
    sys.exit(main())
