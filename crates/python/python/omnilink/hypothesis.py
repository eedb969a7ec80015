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
choice of commands runs `repeats` times, and the interpreter switches as often as it can.
"""

import sys
import threading

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

    def teardown(self):
        """Called after each run."""

    @classmethod
    def test(cls, settings=None):
        """The test, for pytest to collect. `settings` are those of Hypothesis."""
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
    interval = sys.getswitchinterval()
    sys.setswitchinterval(_SWITCH_INTERVAL)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
        system.teardown()
        recorder.close()
    if raised:
        raise raised[0]
    if recorder.operations:
        check(recorder, machine.model, consistency=machine.consistency).minimize().raise_for_verdict()
