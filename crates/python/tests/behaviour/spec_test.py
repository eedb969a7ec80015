"""Specifications: traces against them, and their states."""

import json
import tempfile
import unittest

import omnilink
from histories import REPOSITORY

MAP = REPOSITORY / "examples/validate/map/Map.tla"
LOCKS = REPOSITORY / "examples/mc/Locks.tla"
TWO_PHASE = REPOSITORY / "examples/logs/two-phase/TwoPhase.tla"
COLLECT = {"Keys": ["key", "lo", "hi"]}


def records(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


class Validation(unittest.TestCase):
    def test_a_trace_is_explained_by_a_specification(self):
        trace = MAP.parent / "ok.ndjson"
        for given in [trace, records(trace)]:
            result = omnilink.validate(MAP, given, const={"NoValue": 0}, collect=COLLECT)
            self.assertEqual((result.verdict, result.evidence["command"]), ("valid", "validate"))

    def test_a_result_that_nothing_explains_is_a_violation(self):
        trace = records(MAP.parent / "bug-stale-lookups.ndjson")
        result = omnilink.validate(MAP, trace, const={"NoValue": 0}, collect=COLLECT)
        self.assertEqual(result.verdict, "violation")
        self.assertIn("Map.tla", json.dumps(result.evidence))

    def test_a_log_is_recognised_in_memory_and_on_disk(self):
        managers = {"RM": {"rm-0", "rm-1", "rm-2"}}
        verdicts = {}
        for name in ["ok", "counts-resent-messages"]:
            folder = TWO_PHASE.parent / name
            result = omnilink.validate(TWO_PHASE, folder, const=managers)
            self.assertIn("log", result.evidence)
            lines = [record for file in sorted(folder.iterdir()) for record in records(file)]
            in_memory = omnilink.validate(TWO_PHASE, lines, const=managers)
            self.assertEqual((in_memory.verdict, in_memory.evidence["input"]), (result.verdict, "history"))
            verdicts[name] = result.verdict
        self.assertEqual(verdicts, {"ok": "valid", "counts-resent-messages": "violation"})

    def test_a_constant_is_an_expression_or_an_object(self):
        self.assertEqual(omnilink.mc(LOCKS, const={"Clients": '{"a"}'}).verdict, "valid")
        self.assertEqual(omnilink.mc(LOCKS, const={"Clients": {"a", "b"}}).verdict, "violation")

    def test_what_is_wrong_is_told_in_the_words_of_the_command(self):
        with self.assertRaisesRegex(omnilink.Error, "NoValue"):
            omnilink.validate(MAP, MAP.parent / "ok.ndjson", collect=COLLECT)
        with self.assertRaisesRegex(omnilink.UsageError, "--consistency causal"):
            omnilink.validate(MAP, [], consistency="causal")
        with self.assertRaisesRegex(omnilink.Error, "No.tla"):
            omnilink.validate("No.tla", MAP.parent / "ok.ndjson")


class Exploration(unittest.TestCase):
    def test_a_violation_has_a_behaviour(self):
        result = omnilink.mc(str(LOCKS))
        self.assertEqual(result.verdict, "violation")
        self.assertIn("OneBeliever", str(result))
        self.assertGreater(len(result.counterexample["trace"]), 1)
        self.assertIs(result.minimize(), result)

    def test_random_behaviours_and_limits(self):
        simulated = omnilink.mc(LOCKS, simulate=50, depth=5, seed=1, const={"Clients": {"a"}})
        self.assertEqual((simulated.verdict, simulated.counterexample), ("unknown", None))
        with self.assertRaises(omnilink.UsageError):
            omnilink.mc(LOCKS, workers="many")

    def test_a_specification_with_a_mistake_is_an_exception(self):
        with tempfile.TemporaryDirectory() as folder:
            path = folder + "/Wrong.tla"
            with open(path, "w") as file:
                file.write("---- MODULE Wrong ----\nInit == x = 0\n====\n")
            with self.assertRaisesRegex(omnilink.SpecError, "Wrong.tla"):
                omnilink.mc(path)
        with self.assertRaisesRegex(omnilink.SpecError, "Missing.tla"):
            omnilink.mc("Missing.tla")
