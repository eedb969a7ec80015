#!/usr/bin/env python3
"""Checks that correct components get no violation and that mutants of them do; prints both tables, and fails if one is wrong.

    lineup-targets/proof/proof.py OMNILINK [--fast] [--only NAME] [--time-limit 20s] [--survey]

Every component of locks.cpp and structures.cpp is checked as it stands, under sequential consistency (with and without plain
accesses), under C11 and for leaks: no alarm. Then each mutant (`-DM=…`) under the model that shows its bug: found, with the number of
executions. The components of rust/ are checked under both models. With --survey the released crates of ../survey are checked under C11
too. --fast leaves out what takes long, and is what CI runs.
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
STRUCTURES = [
    ("ring, one producer, one consumer", 1, [], [], {2: "sc", 3: "c11", 4: "c11", 5: "c11"}),
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
    ("Chase and Lev", 17, [], [], {1: "c11", 2: "sc", 3: "c11"}),
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
]
MODELS = {
    "sc": [],
    "3x": ["--shape", "3x2"],
    "c11": ["--memory", "c11"],
    "plain": ["--plain"],
    "leaks": ["--leaks"],
}


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
    if answer["verdict"] == "violation":
        return f"{answer['violation']['diagnosis']}, {answer['executions']:,} executions"
    return f"{answer['verdict']}, {answer.get('executions', 0):,} executions"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("omnilink")
    parser.add_argument("--fast", action="store_true")
    parser.add_argument("--survey", action="store_true")
    parser.add_argument("--only")
    parser.add_argument("--time-limit", default="20s")
    options = parser.parse_args()
    wrong, correct, found = [], 0, 0
    chosen = [
        (file, component)
        for file, components in (("locks.cpp", LOCKS), ("structures.cpp", STRUCTURES))
        for component in components
        if options.only is None or options.only in component[0]
    ]
    print("| correct | " + " | ".join(("sc", "c11", "plain", "leaks")) + " |\n|---|---|---|---|---|")
    for file, component in chosen:
        answers = []
        for model in ("sc", "c11") if options.fast else ("sc", "c11", "plain", "leaks"):
            answer = checked(options, file, component, model, 0)
            answers.append(shown(answer))
            if answer["verdict"] not in ("valid", "unknown"):
                wrong.append(f"{component[0]} under {model}: {json.dumps(answer)[:600]}")
        correct += 1
        print(f"| {component[0]} | " + " | ".join(answers) + " |", flush=True)
    if options.only is None or options.survey:
        packages = [("rust", ["--test", "correct"])] + ([("../survey", [])] if options.survey else [])
        for package, target in packages:
            for model in ("sc", "c11"):
                for answer in lineup(options, [str(HERE / package), *target, "--auto", "2", *MODELS[model]]):
                    correct += model == "c11"
                    print(f"| {answer['input']} | {model}: {shown(answer)} |", flush=True)
                    if package == "rust" and answer["verdict"] not in ("valid", "unknown"):
                        wrong.append(f"{answer['input']} under {model}: {json.dumps(answer)[:600]}")
    print("\n| bug | model | answer |\n|---|---|---|")
    for file, component in chosen:
        for mutant, model in component[4].items():
            answer = checked(options, file, component, model, mutant)
            found += answer["verdict"] == "violation"
            print(f"| {component[0]}, without {mutant} | {model} | {shown(answer)} |", flush=True)
            if answer["verdict"] != "violation":
                wrong.append(f"{component[0]} mutant {mutant} under {model}: {answer['verdict']} {answer.get('error', '')}")
    print(f"\n{correct} correct components, {found} bugs found; {len(wrong)} answers are wrong")
    print("\n".join(wrong))
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
