"""Stateful tests of concurrent systems with Hypothesis: it chooses commands, several threads run them, and the history is checked.

    from hypothesis import strategies as st
    from omnilink.hypothesis import ConcurrentMachine, command

    class Queues(ConcurrentMachine):
        model = "queue"

        def __init__(self):
            self.queue = MyQueue()

        @command(value=st.integers(0, 3))
        def enqueue(self, value):
            self.queue.put(value)

        @command()
        def dequeue(self):
            return self.queue.get()

    test_queues = Queues.test()

Hypothesis makes the commands of a failing test few and simple. Threads run as the interpreter switches them, so a bug may need luck: every
choice of commands runs `repeats` times, and the interpreter switches as often as it can. A run that takes longer than `timeout` seconds is a deadlock.
"""

import sys
import threading
import time
import traceback

import hypothesis
from hypothesis import strategies as st

from omnilink._checks import check
from omnilink._errors import UsageError
from omnilink._recorder import Recorder

# Seconds between two switches of the interpreter while commands run.
_SWITCH_INTERVAL = 1e-6


def command(**arguments):
    """A decorator for methods that are commands: their arguments, each with the strategy that chooses it."""

    def decorate(method):
        method._omnilink_arguments = arguments
        return method

    return decorate


class DeadlockError(BaseException):
    """Commands did not end in time. The message has the commands, and where each thread waits.

    Not an `Exception`: Hypothesis would try to make the choice of commands smaller, and wait as long for each try.
    """


class ConcurrentMachine:
    """A system with its commands. Each run has a new object."""

    #: What the histories are checked against: the name of a model, or a model in Python.
    model = None
    #: The level, as in `omnilink.check`.
    consistency = "linearizable"
    #: How many threads run commands, and how many each at most.
    threads = 3
    commands = 4
    #: How often each choice of commands is run.
    repeats = 20
    #: How many seconds the commands of one run may take; None for no limit.
    timeout = 10.0

    def teardown(self):
        """Called after each run."""

    @classmethod
    def test(cls, settings=None, seed=None):
        """The test, for pytest to collect. `settings` are those of Hypothesis, and `seed` is what its choices begin with."""
        if cls.model is None:
            raise UsageError(f"{cls.__name__} has no model: set model = \"queue\", or to a model in Python")
        strategies = cls._strategies()
        if not strategies:
            raise UsageError(f"{cls.__name__} has no commands: decorate its methods with @command(...)")
        plans = st.lists(st.lists(st.one_of(strategies), max_size=cls.commands), min_size=2, max_size=max(2, cls.threads))

        # Timing depends on the machine, not on what is tested.
        @(settings or hypothesis.settings(deadline=None))
        @hypothesis.given(plan=plans)
        def test(plan):
            for _ in range(cls.repeats):
                run(cls, plan)

        if seed is not None:
            test = hypothesis.seed(seed)(test)
        test.__name__ = test.__qualname__ = f"test_{cls.__name__}"
        return test

    @classmethod
    def _strategies(cls):
        found = []
        for name in dir(cls):
            arguments = getattr(getattr(cls, name, None), "_omnilink_arguments", None)
            if arguments is not None:
                found.append(st.tuples(st.just(name), st.fixed_dictionaries(arguments)))
        return found


def run(machine, plan):
    """Runs the commands of each thread on a new machine, and raises `ViolationError` if no order of them makes sense to the model."""
    system, recorder = machine(), Recorder()
    begin, raised = threading.Barrier(len(plan)), []

    def work(commands):
        begin.wait()
        try:
            for name, arguments in commands:
                method = getattr(system, name)
                recorder.call(name, lambda: method(**arguments), **arguments)
        except BaseException as error:
            raised.append(error)

    threads = [threading.Thread(target=work, args=(commands,), daemon=True) for commands in plan]
    interval, is_stuck = sys.getswitchinterval(), False
    sys.setswitchinterval(_SWITCH_INTERVAL)
    try:
        for thread in threads:
            thread.start()
        _join(threads, machine.timeout, plan)
    except DeadlockError:
        is_stuck = True
        raise
    finally:
        sys.setswitchinterval(interval)
        # What the threads wait for, teardown would wait for, too.
        if not is_stuck:
            system.teardown()
            recorder.close()
    if raised:
        raise raised[0]
    if recorder.operations:
        check(recorder, machine.model, consistency=machine.consistency).minimize().raise_for_verdict()


def _join(threads, timeout, plan):
    """Waits for the threads, and says where they are if they take too long."""
    deadline = None if timeout is None else time.monotonic() + timeout
    for thread in threads:
        thread.join(None if deadline is None else max(0.0, deadline - time.monotonic()))
    if not any(thread.is_alive() for thread in threads):
        return
    frames, told = sys._current_frames(), []
    for number, (thread, commands) in enumerate(zip(threads, plan)):
        calls = ", ".join(f"{name}({', '.join(f'{key}={value!r}' for key, value in given.items())})" for name, given in commands)
        told.append(f"thread {number}: {calls or 'no commands'}: {'does not end' if thread.is_alive() else 'has ended'}")
        frame = frames.get(thread.ident)
        if thread.is_alive() and frame is not None:
            told.append("".join(traceback.format_stack(frame)[-4:]).rstrip())
    raise DeadlockError(f"the commands did not end within {timeout} seconds\n" + "\n".join(told))
