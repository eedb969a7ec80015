"""Recording and watching a system in Python."""

import asyncio
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import omnilink


class Recording(unittest.TestCase):
    def test_threads_have_logs_of_their_own(self):
        shared = queue.SimpleQueue()

        def work(recorder):
            for value in range(50):
                recorder.call("enqueue", lambda: shared.put(value), value=[threading.get_ident(), value])
                recorder.call("size", shared.qsize)

        with tempfile.TemporaryDirectory() as folder:
            with omnilink.Recorder(folder, seed=7) as recorder:
                threads = [threading.Thread(target=work, args=(recorder,)) for _ in range(4)]
                [thread.start() for thread in threads]
                [thread.join() for thread in threads]
            self.assertEqual(len(os.listdir(folder)), 4)
            self.assertEqual((recorder.operations, recorder.pending), (400, 0))

    def test_what_was_recorded_is_checked(self):
        with omnilink.Recorder() as recorder:
            shared = queue.Queue()
            recorder.call("enqueue", lambda: shared.put(1), value=1)
            with recorder.operation("dequeue") as call:
                call.ret = shared.get()
        self.assertEqual(omnilink.check(recorder, "queue").verdict, "valid")
        broken = omnilink.Recorder()
        broken.call("enqueue", lambda: None, value=1)
        broken.call("dequeue", lambda: 2)
        self.assertEqual(broken.check("queue").verdict, "violation")

    def test_a_decorator_names_operations_and_arguments(self):
        recorder = omnilink.Recorder()

        class Register:
            value = 0

            @recorder.recorded("write")
            def store(self, value):
                self.value = value

            @recorder.recorded
            def read(self):
                return self.value

        register = Register()
        register.store(3)
        self.assertEqual(register.read(), 3)
        self.assertEqual(recorder.check("register:initial=0").verdict, "valid")
        self.assertEqual(recorder.operations, 2)

    def test_tasks_are_threads_of_the_history(self):
        recorder = omnilink.Recorder()
        cell = {"value": 0}

        @recorder.recorded("add")
        async def add(value):
            before = cell["value"]
            await asyncio.sleep(0)
            cell["value"] = before + value  # loses updates

        @recorder.recorded
        async def read():
            return cell["value"]

        async def run():
            await asyncio.gather(*[add(1) for _ in range(3)])
            await read()

        asyncio.run(run())
        result = recorder.check("counter")
        self.assertEqual((result.verdict, result.evidence["threads"]), ("violation", 4))

    def test_an_exception_leaves_a_call_pending_and_an_abort_undoes_it(self):
        recorder = omnilink.Recorder()
        for _ in range(2):
            with self.assertRaises(TimeoutError), recorder.operation("write", value=1):
                raise TimeoutError
        with recorder.operation("write", value=9) as call:
            call.abort()
        recorder.call("read", lambda: 1)
        self.assertEqual(recorder.check("register:initial=0").verdict, "valid")
        self.assertEqual((recorder.operations, recorder.pending), (4, 2))

    def test_calls_inside_calls_overlap(self):
        recorder = omnilink.Recorder()
        with recorder.operation("write", value=1):
            with recorder.operation("read") as inner:
                inner.ret = 0
            recorder.call("read", lambda: 1)
        self.assertEqual(recorder.check("register:initial=0").verdict, "valid")
        self.assertEqual(recorder.pending, 0)

    def test_kill_loses_nothing_that_happened(self):
        program = """
import sys, omnilink
recorder = omnilink.Recorder(sys.argv[1])
for value in range(1000):
    recorder.call("write", lambda: None, value=value)
recorder.call("read", lambda: print("reading", flush=True) or sys.stdin.read())
"""
        with tempfile.TemporaryDirectory() as folder:
            words = [sys.executable, "-c", program, folder]
            child = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            self.assertEqual(child.stdout.readline(), "reading\n")
            os.kill(child.pid, signal.SIGKILL)
            child.communicate()
            result = omnilink.check(folder, "register:initial=0")
            figures = result.evidence
            self.assertEqual((result.verdict, figures["ops"], figures["pending"]), ("valid", 1001, 1))

    def test_a_recorder_that_is_not_open_is_an_error(self):
        recorder = omnilink.Recorder()
        with self.assertRaisesRegex(omnilink.RecorderError, "still open"):
            omnilink.check(recorder, "queue")
        recorder.close()
        recorder.close()
        with self.assertRaisesRegex(omnilink.RecorderError, "was closed"):
            recorder.call("dequeue", lambda: 1)
        with tempfile.TemporaryDirectory() as folder:
            omnilink.Recorder(folder + "/a").call("read", lambda: 1)
            with self.assertRaisesRegex(omnilink.RecorderError, "empty"):
                omnilink.Recorder(folder)

    def test_a_recorder_belongs_to_its_process(self):
        recorder = omnilink.Recorder()
        recorder.call("read", lambda: 0)
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            told = b"nothing"
            try:
                recorder.call("read", lambda: 0)
            except omnilink.RecorderError as error:
                told = str(error).encode()
            os.write(writer, told)
            os._exit(0)
        os.waitpid(child, 0)
        self.assertIn("belongs to process", os.read(reader, 1000).decode())
        os.close(reader), os.close(writer)
        self.assertEqual(recorder.check("register:initial=0").verdict, "valid")

    def test_a_value_that_cannot_be_recorded_is_told_and_leaves_the_call_pending(self):
        recorder = omnilink.Recorder()
        self.assertIsInstance(recorder.call("read", object), object)
        self.assertEqual(recorder.call("read", lambda: 7), 7)
        with self.assertRaisesRegex(omnilink.RecorderError, "1 operations were not recorded.*the result of read: an object of type object"):
            recorder.close()
        recorder = omnilink.Recorder()
        self.assertEqual(recorder.call("write", lambda: 5, value=object()), 5)
        with self.assertRaisesRegex(omnilink.RecorderError, "write: value: an object of type object"):
            recorder.close()
        with self.assertRaisesRegex(omnilink.RecorderError, "object"):
            omnilink.check(recorder, "register")

    def test_an_operation_has_a_name(self):
        for kind in (omnilink.Recorder, lambda: omnilink.LiveCheck("queue")):
            with self.assertRaisesRegex(omnilink.RecorderError, "None"):
                kind().call(None, lambda: 1)


class Operations:
    """Collects the operations of a trace."""

    threads = True
    met = []

    def initial(self):
        return 0

    def is_pure(self, op):
        self.met.append((op.thread, op.name, op.args, op.ret, op.pending))
        return True

    def step(self, state, op):
        return state


class OneRecorder(unittest.TestCase):
    """The file to copy has a part of this recorder, which behaves alike: the program of the conformance suite runs with both."""

    def run_both(self, part):
        told = []
        root = os.environ["OMNILINK_REPOSITORY"]
        for recorder in (os.path.join(root, "recorders/python"), os.path.dirname(os.path.dirname(omnilink.__file__))):
            with tempfile.TemporaryDirectory() as folder:
                words = [sys.executable, os.path.join(root, "recorders/conformance/conformance.py"), part, folder + "/trace"]
                done = subprocess.run(words, env={**os.environ, "PYTHONPATH": recorder}, capture_output=True, text=True, timeout=120)
                self.assertEqual(done.returncode, 0, done.stderr)
                Operations.met = []
                omnilink.check(folder + "/trace", Operations)
                told.append((done.stdout, sorted(map(repr, Operations.met))))
        return told

    def test_values_and_calls_are_recorded_alike(self):
        for part in ("values", "calls", "texts"):
            (_, copied), (_, own) = self.run_both(part)
            self.assertEqual(copied, own)
            self.assertTrue(len(own) > 5)

    def test_mistakes_are_the_same_errors(self):
        (copied, _), (own, _) = self.run_both("misuse")
        names = lambda text: [line.split(":")[0] for line in text.splitlines()]
        self.assertEqual(names(copied), names(own))
        self.assertNotIn("nothing", own)


class Watching(unittest.TestCase):
    def test_a_violation_is_known_while_the_system_runs(self):
        live = omnilink.LiveCheck("queue")
        live.call("enqueue", lambda: None, value=1)
        self.assertIsNone(live.verdict)
        live.call("dequeue", lambda: 2)
        live.call("enqueue", lambda: None, value=3)
        deadline = time.monotonic() + 60
        while live.verdict is None and time.monotonic() < deadline:
            time.sleep(0.001)
        self.assertEqual(live.verdict, "violation")
        live.call("dequeue", lambda: 3)
        self.assertIn("dequeue", str(live.close()))

    def test_threads_are_watched(self):
        shared = queue.SimpleQueue()
        with omnilink.LiveCheck("queue") as live:

            def work(number):
                for value in range(30):
                    live.call("enqueue", lambda: shared.put([number, value]), value=[number, value])
                    live.call("dequeue", shared.get)

            threads = [threading.Thread(target=work, args=(number,)) for number in range(3)]
            [thread.start() for thread in threads]
            [thread.join() for thread in threads]
        self.assertEqual((live.close().verdict, live.close().evidence["ops"]), ("valid", 180))

    def test_a_model_in_python_is_watched_and_may_raise(self):
        class Counter:
            def initial(self):
                return 0

            def step(self, state, op):
                if op.name == "add":
                    return state + 1
                return state if op.pending or op.ret == state else None

        with omnilink.LiveCheck(Counter) as live:
            live.call("add", lambda: None)
            live.call("read", lambda: 1)
        self.assertTrue(live.close())

        class Raising(Counter):
            def step(self, state, op):
                raise LookupError("gone")

        live = omnilink.LiveCheck(Raising)
        live.call("add", lambda: None)
        with self.assertRaisesRegex(omnilink.ModelError, "gone"):
            live.close()

    def test_a_live_check_that_is_not_open_is_an_error(self):
        with self.assertRaisesRegex(omnilink.UsageError, "no-such"):
            omnilink.LiveCheck("no-such")
        live = omnilink.LiveCheck("queue")
        live.close()
        with self.assertRaisesRegex(omnilink.RecorderError, "was closed"):
            live.call("dequeue", lambda: 1)
