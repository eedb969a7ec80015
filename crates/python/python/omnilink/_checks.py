"""Checks: histories against models, traces against specifications, specifications by themselves."""

import os
import subprocess

from omnilink import _native
from omnilink._command import find_command
from omnilink._errors import InputError
from omnilink._history import source
from omnilink._result import Result


def _given(arguments):
    """The arguments that were given."""
    return {name: value for name, value in arguments.items() if value is not None}


def _result(run, settings, folders=()):
    def ask(**more):
        answers = run({**settings, **more})
        return Result(answers if isinstance(answers, list) else [answers], lambda: ask(minimize=True), folders)

    return ask()


def check(
    history,
    model=None,
    *,
    consistency=None,
    infer=None,
    minimize=None,
    format=None,
    ops=None,
    async_threads=None,
    keyed=None,
    key=None,
    initial=None,
    strategy=None,
    naive=None,
    time_limit=None,
    memory_limit=None,
    config_limit=None,
):
    """Checks a history: does some order of its operations, which respects when each ran, make sense to the model?

    `history` is a list (or another iterable) of dicts in trace format 1, a path of any format that the command reads, bytes of such a
    file, a frame of pandas or polars, or a `Recorder` that was closed. `model` is the name of a shipped model with its options, such as
    "queue" or "register:initial=0", or a model in Python. Transactions need none.

    `key="queue"` makes an object of its own of each value of this argument. `initial` is what keys of transactions hold at first: "first-read", a
    dict of keys and values, or one value for all.

    `consistency` is "linearizable" if not given, "sequential", or a weaker level; `infer=True` finds the strongest. `time_limit` is in
    seconds, `memory_limit` in bytes, `config_limit` in configurations; beyond them the verdict is `unknown`.
    """
    settings = _given(
        dict(
            consistency=consistency,
            infer=infer,
            minimize=minimize,
            format=format,
            ops=ops,
            async_threads=async_threads,
            keyed=keyed,
            key=key,
            initial=initial,
            strategy=strategy,
            naive=naive,
            time_limit=time_limit,
            memory_limit=memory_limit,
            config_limit=config_limit,
        )
    )
    trace = source(history)
    model = _model(model)
    if model is not None and not isinstance(model, str):
        return _result(lambda settings: _native.check_python(trace, model, settings), settings)
    if model is not None:
        settings["model"] = model
    return _result(lambda settings: _native.check(trace, settings), settings)


def assert_valid(history, model=None, **options):
    """Checks a history as `check` does, and raises `ViolationError`, which is an AssertionError, with the shrunk violation unless it is valid."""
    return check(history, model, **options).minimize().raise_for_verdict()


def validate(
    spec,
    trace,
    *,
    const=None,
    config=None,
    collect=None,
    link=None,
    library=None,
    consistency=None,
    minimize=None,
    strict=None,
    mutate=None,
    log=None,
    extract=None,
    skew=None,
    format=None,
    ops=None,
    async_threads=None,
    naive=None,
    time_limit=None,
    memory_limit=None,
    config_limit=None,
):
    """Checks a trace or a log against a TLA+ specification: an operation `Name(args)` is the action `Name`.

    `const` gives constants: a text is a TLA+ expression, any other object is a value. `link` is a link file, `config` a configuration,
    `collect` names constants that are sets of fields of the trace, `library` folders of modules. `strict=True` refuses a `valid` that means
    nothing. The other arguments are those of `check`, and of `omnilink validate`.
    """
    settings = _given(
        {
            "const": const,
            "config": config,
            "collect": collect,
            "link": link,
            "library": _folders(library),
            "consistency": consistency,
            "minimize": minimize,
            "strict": strict,
            "mutate": mutate,
            "log": log,
            "extract": extract,
            "skew": skew,
            "format": format,
            "ops": ops,
            "async_threads": async_threads,
            "naive": naive,
            "time_limit": time_limit,
            "memory_limit": memory_limit,
            "config_limit": config_limit,
        }
    )
    read = source(trace)
    return _result(lambda settings: _native.validate(spec, read, settings), settings, [_folder(spec)])


def mc(
    spec,
    *,
    config=None,
    const=None,
    library=None,
    workers=None,
    dfs=None,
    simulate=None,
    depth=None,
    seed=None,
    deadlock=None,
    strict=None,
    find_all=None,
    time_limit=None,
    memory_limit=None,
):
    """Explores the states of a TLA+ specification, and shows how a property breaks.

    The configuration is the .cfg beside the specification unless `config` names another. `simulate` explores that many random behaviours
    instead of all states, `find_all` goes on after a violation. `deadlock` overrides the configuration.
    """
    settings = _given(
        {
            "config": config,
            "const": const,
            "library": _folders(library),
            "workers": workers,
            "dfs": dfs,
            "simulate": simulate,
            "depth": depth,
            "seed": seed,
            "deadlock": deadlock,
            "strict": strict,
            "find_all": find_all,
            "time_limit": time_limit,
            "memory_limit": memory_limit,
        }
    )
    return Result([_native.mc(spec, settings)], folders=[_folder(spec)])


def lineup(*arguments):
    """Explores a component under controlled schedules, as `omnilink lineup ARGUMENTS` does: by running that command.

    The arguments are those of the command, such as "--cpp", "queue.cpp", "--time-limit", "60s". A component is compiled and run in processes of its own.
    """
    words = [find_command(), "lineup", *map(str, arguments), "--json"]
    done = subprocess.run(words, capture_output=True, text=True)
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if not lines:
        raise InputError((done.stderr or done.stdout).strip())
    return Result([_native.Answer.from_json(line) for line in lines])


def _model(model):
    """The name of a model, or a model: a class stands for an object of it."""
    return model() if isinstance(model, type) else model


def _folder(spec):
    return os.path.dirname(os.fspath(spec)) or "."


def _folders(library):
    """One folder, or several."""
    return [library] if isinstance(library, (str, os.PathLike)) else library
