"""The plugin of pytest and the bridge to Hypothesis, where they are installed."""

import importlib.util
import pathlib
import subprocess
import sys
import tempfile
import unittest


def has(*modules):
    return all(importlib.util.find_spec(module) for module in modules)


def pytest(text, *options):
    """What pytest says about a file with these tests."""
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "test_it.py").write_text(text)
        words = [sys.executable, "-m", "pytest", "-p", "omnilink.pytest_plugin", "-p", "no:cacheprovider", "--basetemp", folder + "/tmp"]
        done = subprocess.run([*words, *options], cwd=folder, capture_output=True, text=True)
        pages = [path.read_text() for path in pathlib.Path(folder).rglob("*.html")]
        return done.stdout + done.stderr, pages


@unittest.skipUnless(has("pytest"), "pytest is not installed")
class Plugin(unittest.TestCase):
    def test_a_failing_test_says_where_its_picture_is(self):
        tests = """
def test_good(omnilink_recorder):
    omnilink_recorder.call("enqueue", lambda: None, value=1)
    omnilink_recorder.call("dequeue", lambda: 1)
    omnilink_recorder.assert_valid("queue")

def test_bad(omnilink_recorder):
    omnilink_recorder.call("enqueue", lambda: None, value=1)
    omnilink_recorder.call("dequeue", lambda: 2)
    omnilink_recorder.assert_valid("queue")
"""
        for options in [(), ("--omnilink-pages", "pages")]:
            told, pages = pytest(tests, *options)
            self.assertIn("1 failed, 1 passed", told)
            self.assertRegex(told, r"picture: \S*test_bad-\w+\.html")
            self.assertEqual(len(pages), 1)
            self.assertIn("Content-Security-Policy", pages[0])


    def test_names_of_tests_are_too_long_and_alike(self):
        tests = """
import omnilink, pytest
BAD = [{"thread": 0, "op": "write", "args": {"value": 1}, "start": 0, "end": 1}, {"thread": 0, "op": "read", "ret": 2, "start": 2, "end": 3}]
@pytest.mark.parametrize("x", [pytest.param(1, id="a" * 300), pytest.param(2, id="a/b"), pytest.param(3, id="a_b"), pytest.param(4, id="\u00e9" * 200)])
def test_named(x):
    omnilink.assert_valid(BAD, "register")
def test_other():
    pass
"""
        told, pages = pytest(tests, "--omnilink-pages", "pages")
        self.assertIn("4 failed, 1 passed", told)
        self.assertEqual(len(pages), 4)
        told, _ = pytest(tests, "-p", "no:tmpdir")
        self.assertIn("4 failed, 1 passed", told)


MACHINES = """
import time
from hypothesis import HealthCheck, settings, strategies as st
from omnilink.hypothesis import ConcurrentMachine, command

class Counter:
    def initial(self):
        return 0
    def step(self, state, op):
        if op.name == "add":
            return state + op["value"]
        return state if op.pending or op.ret == state else None

class Good(ConcurrentMachine):
    model = Counter
    repeats = 3
    def __init__(self):
        self.total = 0
    @command(value=st.integers(1, 2))
    def add(self, value):
        self.total += value
    @command()
    def read(self):
        return self.total

class Bad(Good):
    @command(value=st.integers(1, 2))
    def add(self, value):
        before = self.total
        time.sleep(0.001)
        self.total = before + value

few = settings(deadline=None, max_examples=30, database=None, suppress_health_check=list(HealthCheck))
"""


@unittest.skipUnless(has("pytest", "hypothesis"), "pytest and hypothesis are not installed")
class Hypothesis(unittest.TestCase):
    def test_a_lost_update_is_found(self):
        told, pages = pytest(MACHINES + "test_bad = Bad.test(few)\n")
        self.assertIn("1 failed", told)
        self.assertIn("ViolationError", told)

    def test_a_machine_without_a_model_or_commands_is_refused(self):
        program = MACHINES + """
import omnilink
for machine in [type("NoModel", (ConcurrentMachine,), {}), type("NoCommands", (ConcurrentMachine,), {"model": "queue"})]:
    try:
        machine.test()
    except omnilink.UsageError as error:
        print(error)
"""
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
        self.assertIn("NoModel has no model", done.stdout, done.stderr)
        self.assertIn("NoCommands has no commands", done.stdout)

    def test_a_deadlock_is_told_in_time(self):
        program = MACHINES + """
import threading
class Stuck(Good):
    timeout = 0.5
    @command()
    def read(self):
        self.waiting_here()
    def waiting_here(self):
        threading.Event().wait()

test_stuck = Stuck.test(few, seed=7)
def test_other():
    pass
"""
        told, _ = pytest(program)
        self.assertIn("1 failed, 1 passed", told)
        self.assertIn("the commands did not end within 0.5 seconds", told)
        self.assertRegex(told, r"thread \d: .*read\(\).*: does not end")
        self.assertIn("waiting_here", told)

    def test_a_correct_system_passes(self):
        locked = MACHINES + """
import threading
class Locked(Good):
    def __init__(self):
        super().__init__()
        self.lock = threading.Lock()
    @command(value=st.integers(1, 2))
    def add(self, value):
        with self.lock:
            self.total += value

test_locked = Locked.test(few)
"""
        told, _ = pytest(locked)
        self.assertIn("1 passed", told)
