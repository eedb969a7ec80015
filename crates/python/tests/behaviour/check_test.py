"""Histories, however they are given, and the answers."""

import json
import math
import pathlib
import tempfile
import unittest

import omnilink
from histories import FRESH, STALE, op

REGISTER = "register:initial=0"


class Frame:
    """What a frame of pandas looks like to the package."""

    columns = ["thread", "op", "value", "start", "end", "ret"]

    def __init__(self, rows):
        self.rows = rows

    def to_dict(self, orient):
        assert orient == "records"
        return [dict(zip(self.columns, row)) for row in self.rows]


class Histories(unittest.TestCase):
    def test_a_list_of_dicts_is_a_history(self):
        self.assertEqual(omnilink.check(STALE, REGISTER).verdict, "violation")
        self.assertEqual(omnilink.check(FRESH, REGISTER).verdict, "valid")

    def test_an_iterator_is_read_once(self):
        self.assertEqual(omnilink.check(iter(STALE), REGISTER).verdict, "violation")
        self.assertEqual(omnilink.check((record for record in STALE), REGISTER).minimize().verdict, "violation")

    def test_a_path_and_bytes_are_read_like_the_command_reads_them(self):
        lines = "".join(json.dumps(record) + "\n" for record in STALE)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "stale.ndjson"
            path.write_text(lines)
            for history in [path, str(path), lines.encode()]:
                self.assertEqual(omnilink.check(history, REGISTER).verdict, "violation")

    def test_a_frame_has_floats_for_missing_integers_and_columns_for_arguments(self):
        nan = math.nan
        rows = [(0, "write", 1.0, 0, 10.0, nan), (1, "read", nan, 20, 30.0, 0.0), (2, "write", 3.0, 25, nan, nan)]
        result = omnilink.check(Frame(rows), REGISTER)
        self.assertEqual((result.verdict, result.evidence["pending"]), ("violation", 1))

    def test_a_frame_with_times_that_lost_digits_is_refused(self):
        rows = [(0, "write", 1, 1.7e18, 1.8e18, None)]
        with self.assertRaisesRegex(omnilink.InputError, "history:1: start: .*lost digits"):
            omnilink.check(Frame(rows), REGISTER)

    def test_levels_other_than_linearizability_are_checked(self):
        self.assertEqual(omnilink.check(STALE, REGISTER, consistency="sequential").verdict, "valid")
        self.assertEqual(omnilink.check(STALE, REGISTER, consistency="monotonic-reads").verdict, "valid")
        self.assertEqual(omnilink.check(STALE, REGISTER, consistency="causal").verdict, "violation")

    def test_transactions_need_no_model(self):
        def txn(thread, start, *accesses):
            return op(thread, "txn", start, start + 1, value=[list(access) for access in accesses])

        skew = [txn(0, 0, ("w", "x", 1)), txn(1, 10, ("r", "x", 1), ("w", "x", 2)), txn(0, 20, ("r", "x", 1))]
        self.assertEqual(omnilink.check(skew, consistency="strict-serializable").verdict, "violation")

    def test_each_key_is_an_object_and_keys_may_hold_something_at_first(self):
        queues = [op(0, "enqueue", 0, 1, queue="a", value=5), op(0, "dequeue", 2, 3, ret=5, queue="b")]
        with self.assertRaisesRegex(omnilink.InputError, "no argument \"queue\""):
            omnilink.check(queues, "queue")
        self.assertEqual(omnilink.check(queues, "queue", key="queue").verdict, "violation")
        with self.assertRaisesRegex(omnilink.UsageError, "not both"):
            omnilink.check(queues, "queue", key="queue", keyed=True)
        transaction = [{"thread": 0, "op": "txn", "args": [[["r", "x", 7], ["w", "x", 1]]], "ret": [["r", "x", 7], ["w", "x", 1]], "start": 0, "end": 1}]
        for initial, verdict in [(None, "violation"), ("first-read", "valid"), (7, "valid"), (8, "violation"), ({"x": 7}, "valid")]:
            self.assertEqual(omnilink.check(transaction, consistency="serializable", initial=initial).verdict, verdict, initial)

    def test_sets_and_tuples_are_values(self):
        history = [op(0, "write", 0, 1, value={"a": (1, {2, 3})}), op(0, "read", 2, 3, ret={"a": [1, {3, 2}]})]
        self.assertEqual(omnilink.check(history, REGISTER).verdict, "valid")


class Answers(unittest.TestCase):
    def setUp(self):
        self.violation = omnilink.check(STALE, REGISTER)
        self.valid = omnilink.check(FRESH, REGISTER)

    def test_evidence_is_objects(self):
        self.assertEqual(self.violation.evidence["verdict"], "violation")
        self.assertIn("read", json.dumps(self.violation.counterexample))
        self.assertIsNone(self.violation.witness)
        self.assertEqual([placed["op"] for placed in self.valid.witness["order"]], [1, 0])
        self.assertIsNone(self.valid.counterexample)

    def test_a_result_is_true_if_it_is_valid(self):
        self.assertTrue(self.valid)
        self.assertFalse(self.violation)

    def test_a_violation_is_shrunk_on_request(self):
        noise = [op(7, "write", 100 + 2 * at, 101 + 2 * at, value=at) for at in range(20)]
        result = omnilink.check(STALE + noise, REGISTER)
        self.assertIsNone(result.minimal)
        self.assertEqual(len(result.minimize().minimal["ops"]), 2)
        self.assertIs(self.valid.minimize(), self.valid)
        part = result.parts[0].minimize()
        self.assertEqual((len(part.minimal["ops"]), part.parts[0].minimize().verdict), (2, "violation"))

    def test_reports_have_the_forms_of_the_command(self):
        self.assertIn("violation", self.violation.report())
        self.assertTrue(self.violation.report("markdown").startswith("### ❌ violation"))
        self.assertIn("<testsuite", self.violation.report("junit"))
        self.assertEqual(json.loads(self.violation.report("sarif"))["version"], "2.1.0")
        with self.assertRaisesRegex(omnilink.UsageError, "give text, markdown"):
            self.violation.report("pdf")

    def test_the_picture_of_a_notebook_is_a_frame_with_its_own_policy(self):
        frame = self.violation._repr_html_()
        self.assertTrue(frame.startswith("<iframe srcdoc=") and frame.endswith("</iframe>"))
        self.assertNotIn("<script", frame)
        self.assertIn("Content-Security-Policy", self.violation.report("html"))

    def test_a_verdict_can_be_an_exception(self):
        self.assertIs(self.valid.raise_for_verdict(), self.valid)
        with self.assertRaisesRegex(AssertionError, "read 0, but the register holds 1") as raised:
            self.violation.raise_for_verdict()
        self.assertIs(raised.exception.result, self.violation)
