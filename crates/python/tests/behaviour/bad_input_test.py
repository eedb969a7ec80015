"""What users get wrong is a typed exception, with the message of the command; never an abort."""

import enum
import math
import os
import signal
import subprocess
import sys
import threading
import unittest

import omnilink
from histories import FRESH, op
from omnilink import _native

REGISTER = "register:initial=0"


def write(value):
    return [op(0, "write", 0, 1, value=value)]


class BadHistories(unittest.TestCase):
    def refused(self, history, pattern, error=omnilink.InputError, model=REGISTER, **settings):
        with self.assertRaisesRegex(error, pattern):
            omnilink.check(history, model, **settings)

    def test_objects_without_a_meaning(self):
        self.refused(write(object()), "history:1: args: an object of type object has no meaning")
        self.refused(["read"], "history:1: an object of type str is no operation")
        self.refused(7, "type int is no history")
        self.refused({"op": "read"}, "this is one dict", omnilink.UsageError)
        self.refused([{1: 2}], "the name of a field is a text")
        self.refused(write("\ud800"), "lone surrogate")

    def test_values_that_share_parts_have_an_end(self):
        shared = [1]
        for _ in range(60):
            shared = [shared, shared]
        self.refused(write(shared), "more than 4194304 parts")

    def test_bytes_enumerations_and_model_values_have_a_meaning(self):
        color = enum.Enum("Color", "RED")
        for value in (b"ab", bytearray(b"ab"), color.RED, omnilink.ModelValue("n1")):
            history = write(value) + [op(0, "read", 2, 3, ret=value)]
            self.assertEqual(omnilink.check(history, REGISTER).verdict, "valid")
        self.assertEqual(omnilink.check(write(b"ab") + [op(0, "read", 2, 3, ret=[97, 98])], REGISTER).verdict, "valid")
        self.assertEqual(omnilink.check(write(color.RED) + [op(0, "read", 2, 3, ret="RED")], REGISTER).verdict, "valid")

    def test_nan_and_infinity(self):
        self.refused(write(math.nan), "NaN is no value")
        self.refused(write([1, math.inf]), "inf is no value")

    def test_huge_integers_are_opaque_values_and_no_times(self):
        huge = 2**70
        history = write(huge) + [op(0, "read", 2, 3, ret=huge)]
        self.assertEqual(omnilink.check(history, REGISTER).verdict, "valid")
        self.refused(write(10**5000), "history:1: args: it cannot be read: ValueError: Exceeds the limit")
        self.refused([op(0, "read", huge, huge + 1, ret=0)], "history:1")

    def test_lists_that_contain_themselves(self):
        cyclic = []
        cyclic.append(cyclic)
        self.refused(write(cyclic), "nested deeper than 100 levels, or contains itself")
        loop = {}
        loop["loop"] = loop
        self.refused(write(loop), "contains itself")

    def test_what_the_reader_refuses_is_told_in_its_words(self):
        self.refused([{"thread": 0, "op": "read", "strat": 1}], "did you mean \"start\"")
        self.refused([op(0, "read", 5, 1, ret=0)], "history:1")
        self.refused([], "there is nothing in it")
        self.refused([op(0, "jump", 0, 1)], "history:1: .*jump")
        self.refused("/no/such/file", "No such file")

    def test_an_iterator_that_raises_is_not_swallowed(self):
        def records():
            yield FRESH[0]
            raise LookupError("the database is gone")

        self.refused(records(), "the database is gone", LookupError)

    def test_a_text_that_cannot_be_a_path(self):
        self.refused("\ud800", "this is no path")
        self.refused(FRESH, "format=", omnilink.UsageError, format=7)
        for call in (
            lambda: omnilink.mc("\ud800"),
            lambda: omnilink.validate("\ud800", FRESH),
            lambda: omnilink.mc("Spec.tla", config="\ud800"),
            lambda: omnilink.Recorder("\ud800"),
        ):
            with self.assertRaises(omnilink.Error):
                call()

    def test_every_entrance_refuses_every_kind_of_nonsense(self):
        cyclic, deep = [], []
        cyclic.append(cyclic)
        for _ in range(100_000):
            deep = [deep]

        class Unspeakable:
            def __repr__(self):
                raise RuntimeError("it has no text")

        class Constant:
            def __init__(self, value):
                self.value = value

            def initial(self):
                return 0

            def step(self, state, op):
                return self.value

        def record(recorder, value):
            with recorder:
                recorder.call("write", lambda: None, value=value)

        nonsense = [math.nan, 10**5000, cyclic, deep, object(), Unspeakable(), b"x", 1j, int, (n for n in [1]), "\ud800"]
        entrances = [
            lambda value: omnilink.check(value, REGISTER),
            lambda value: omnilink.check(write(value), REGISTER),
            lambda value: omnilink.check(FRESH, REGISTER, time_limit=value),
            lambda value: omnilink.check(FRESH, Constant([value])),
            lambda value: omnilink.check([op(value, "read", 0, 1, ret=0)], REGISTER),
            lambda value: omnilink.mc("none.tla", const={"N": value}),
            lambda value: record(omnilink.Recorder(), value),
            lambda value: record(omnilink.LiveCheck("register"), value),
        ]
        for entrance in entrances:
            for value in nonsense:
                # Some of it is fine in some places, such as any object as a state; what is not is a typed error, and never a panic.
                try:
                    entrance(value)
                except (omnilink.Error, TypeError, ValueError, RuntimeError):
                    pass

    def test_arguments_that_make_no_sense(self):
        usage = omnilink.UsageError
        self.refused(FRESH, "no-such-model", usage, model="no-such-model")
        self.refused(FRESH, "against what", usage, model=None)
        self.refused(FRESH, "strictly-best", usage, consistency="strictly-best")
        self.refused(FRESH, "time_limit='soon' makes no sense; give seconds", usage, time_limit="soon")
        self.refused(FRESH, "time_limit=-1", usage, time_limit=-1)
        self.refused(FRESH, "memory_limit='2GB' makes no sense; give bytes", usage, memory_limit="2GB")
        self.refused(FRESH, "is no search", usage, strategy="luck")
        self.refused(FRESH, "drop model", usage, consistency="strict-serializable")
        with self.assertRaises(TypeError):
            omnilink.check(FRESH, REGISTER, consistancy="sequential")


class Interruptions(unittest.TestCase):
    def test_a_panic_is_an_exception(self):
        with self.assertRaisesRegex(omnilink.InternalError, "please report it: provoked by a test"):
            _native.provoke_panic()
        self.assertTrue(omnilink.check(FRESH, REGISTER))

    def test_limits_make_the_verdict_unknown(self):
        # All writes overlap, so that the search has something to do.
        history = [op(thread, "write", 0, 100, value=thread) for thread in range(8)]
        result = omnilink.check(history, REGISTER, strategy="sweep", config_limit=2)
        self.assertEqual(result.verdict, "unknown")
        with self.assertRaises(omnilink.ViolationError):
            result.raise_for_verdict()

    def test_a_check_lets_other_threads_run(self):
        # A step of the model waits for the main thread, which can only go on if the check has released the lock.
        seen, may_go_on = threading.Event(), threading.Event()

        class Waiting:
            def initial(self):
                return 0

            def step(self, state, op):
                seen.set()
                assert may_go_on.wait(60)
                return state

        verdicts = []
        thread = threading.Thread(target=lambda: verdicts.append(omnilink.check(FRESH, Waiting).verdict))
        thread.start()
        self.assertTrue(seen.wait(60))
        may_go_on.set()
        thread.join()
        self.assertEqual(verdicts, ["valid"])

    def test_ctrl_c_ends_a_check(self):
        program = """
import omnilink
class Endless:
    def initial(self):
        return 0
    def step(self, state, op):
        print("stepping", flush=True)
        return [state + n + 1 for n in range(3)]
history = [{"thread": n, "op": "go", "start": 0, "end": 1000} for n in range(60)]
try:
    omnilink.check(history, Endless)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""
        # A shell that runs the tests in the background has them ignore the signal.
        child = subprocess.Popen(
            [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        self.assertEqual(child.stdout.readline(), "stepping\n")
        os.kill(child.pid, signal.SIGINT)
        told, _ = child.communicate(timeout=120)
        # On a busy machine the check may be in the middle of something for longer than it is waited for, and go on stepping.
        self.assertIn("interrupted\n", told)
        self.assertEqual(child.returncode, 0)
