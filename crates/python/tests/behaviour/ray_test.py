"""Batches on a real local Ray of several workers, where it is installed."""

import importlib.util
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from histories import FRESH, REPOSITORY, STALE


def descendants(of, beginning):
    """The processes that a process has started, directly or not, whose command begins so."""
    parents, found = {}, []
    for folder in pathlib.Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                parents[int(folder.name)] = int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1])
                if (folder / "cmdline").read_bytes().startswith(beginning):
                    found.append(int(folder.name))
            except OSError:
                continue

    def is_below(process):
        while process in parents:
            process = parents[process]
            if process == of:
                return True
        return False

    return [process for process in found if is_below(process)]


def is_installed():
    # A folder called ray, such as /tmp/ray, is found as well, but has no origin.
    found = importlib.util.find_spec("ray")
    return found is not None and found.origin is not None


@unittest.skipUnless(is_installed(), "ray is not installed")
class Cluster(unittest.TestCase):
    def start(self, *words):
        command = [sys.executable, "-m", "omnilink.ray", *map(str, words)]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def test_traces_are_checked_by_several_workers_and_a_worker_may_die(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            for name, history in [("fresh", FRESH), ("stale", STALE)]:
                (folder / name).write_text("".join(json.dumps(record) + "\n" for record in history))
            # A worker waits for what comes through the pipe, and is killed meanwhile.
            os.mkfifo(folder / "pipe")
            traces = [folder / "pipe", folder / "fresh", folder / "stale", folder / "missing"]
            driver = self.start("check", "--workers", 2, "--model", "register:initial=0", "--evidence", folder / "all.json", *traces)
            try:
                killed, deadline = None, time.monotonic() + 120
                told = [driver.stdout.readline(), driver.stdout.readline()]
                while killed is None and driver.poll() is None and time.monotonic() < deadline:
                    killed = next(iter(descendants(driver.pid, b"ray::check_task")), None)
                    time.sleep(0.05)
                self.assertIsNotNone(killed, told)
                os.kill(killed, signal.SIGKILL)
                with open(folder / "pipe", "w") as pipe:
                    pipe.write((folder / "fresh").read_text())
                out, err = driver.communicate(timeout=120)
            finally:
                driver.kill()
                driver.communicate()
            # Ray also prints that a worker has died.
            answers = sorted(line for line in [*told, *out.splitlines(keepends=True)] if line.startswith(("valid", "violation")))
            self.assertEqual(answers, [f"valid: {folder}/fresh\n", f"valid: {folder}/pipe\n", f"violation: {folder}/stale\n"])
            self.assertIn("missing", err)
            self.assertEqual(driver.returncode, 2)
            verdicts = [json.loads(line)["verdict"] for line in (folder / "all.json").read_text().splitlines()]
            self.assertEqual(verdicts, ["valid", "valid", "violation"])

    def test_traces_are_validated(self):
        example = REPOSITORY / "examples/validate/map"
        words = ["--workers", 2, "--const", "NoValue=0", "--collect", "Keys=key,lo,hi"]
        driver = self.start("validate", example / "Map.tla", example / "ok.ndjson", example / "bug-stale-lookups.ndjson", *words)
        out, err = driver.communicate(timeout=240)
        self.assertEqual(driver.returncode, 1, err)
        self.assertIn(f"valid: {example}/ok.ndjson", out)
        self.assertIn(f"violation: {example}/bug-stale-lookups.ndjson", out)
