"""Models in Python, on the same engine."""

import random
import unittest

import omnilink
from histories import FRESH, STALE, op


class Register:
    """The register of the catalogue, as one writes it in Python."""

    def initial(self):
        return 0

    def step(self, state, op):
        if op.name == "write":
            return op["value"]
        if op.pending or op.ret == state:
            return state
        return omnilink.Refused(f"read {op.ret}, but the register holds {state}")

    def is_pure(self, op):
        return op.name == "read"


class Store(Register):
    """Many registers: a state is that of one key."""

    def partition(self, op):
        return op["key"]


class Queue:
    """A queue whose state is changed in place: every step has a copy."""

    def initial(self):
        return {"items": []}

    def step(self, state, op):
        if op.name == "enqueue":
            state["items"].append(op["value"])
            return state
        if not state["items"]:
            return state if op.ret is None else None
        head = state["items"].pop(0)
        return state if op.pending or op.ret == head else None


class LossyQueue(Queue):
    """Nondeterministic: an element that is enqueued may be lost."""

    def step(self, state, op):
        if op.name == "enqueue":
            return [{"items": state["items"] + [op["value"]]}, state]
        return super().step(state, op)


class Lock:
    """A lock knows its owner."""

    threads = True

    def initial(self):
        return "free"

    def step(self, state, op):
        if op.name == "acquire":
            return op.thread if state == "free" else None
        return "free" if state == op.thread else None


def random_history(seed, keys=0):
    """A random history of a register, sequential per thread, of which about half are valid."""
    pick = random.Random(seed)
    history = []
    for thread in range(3):
        time = 0
        for _ in range(pick.randint(1, 4)):
            start = time + pick.randint(1, 5)
            time = start + pick.randint(0, 6)
            args = {"key": pick.randrange(keys)} if keys else {}
            if pick.random() < 0.5:
                history.append(op(thread, "write", start, time, value=pick.randint(1, 2), **args))
            else:
                history.append(op(thread, "read", start, time, ret=pick.choice([0, 1, 2]), **args))
    return sorted(history, key=lambda record: record["start"])


class Models(unittest.TestCase):
    def test_a_model_explains_what_the_object_does(self):
        self.assertEqual(omnilink.check(FRESH, Register()).verdict, "valid")
        result = omnilink.check(STALE, Register)
        self.assertEqual(result.verdict, "violation")
        self.assertIn("read 0, but the register holds 1", str(result))

    def test_it_agrees_with_the_shipped_model(self):
        verdicts = set()
        for seed in range(300):
            history = random_history(seed)
            expected = omnilink.check(history, "register:initial=0").verdict
            self.assertEqual(omnilink.check(history, Register).verdict, expected, seed)
            level = omnilink.check(history, "register:initial=0", consistency="sequential").verdict
            self.assertEqual(omnilink.check(history, Register, consistency="sequential").verdict, level, seed)
            verdicts.add(expected)
        self.assertEqual(verdicts, {"valid", "violation"})

    def test_parts_agree_with_the_whole(self):
        class Whole(Register):
            def initial(self):
                return {}

            def step(self, state, op):
                value = super().step(state.get(op["key"], 0), op)
                return value if value is None or isinstance(value, omnilink.Refused) else {**state, op["key"]: value}

            def is_pure(self, op):
                return False

        verdicts = set()
        for seed in range(300):
            history = random_history(seed, keys=2)
            verdict = omnilink.check(history, Store).verdict
            self.assertEqual(verdict, omnilink.check(history, Whole).verdict, seed)
            verdicts.add(verdict)
        self.assertEqual(verdicts, {"valid", "violation"})

    def test_a_state_that_is_changed_in_place_is_a_copy(self):
        taken = [op(0, "enqueue", 0, 1, value=1), op(1, "enqueue", 0, 1, value=2)]
        fine = taken + [op(0, "dequeue", 2, 3, ret=2), op(1, "dequeue", 4, 5, ret=1)]
        twice = taken + [op(0, "dequeue", 2, 3, ret=2), op(1, "dequeue", 4, 5, ret=2)]
        self.assertEqual(omnilink.check(fine, Queue).verdict, "valid")
        self.assertEqual(omnilink.check(twice, Queue).verdict, "violation")

    def test_a_list_is_a_list_of_outcomes(self):
        lost = [op(0, "enqueue", 0, 1, value=1), op(0, "dequeue", 2, 3)]
        self.assertEqual(omnilink.check(lost, Queue).verdict, "violation")
        self.assertEqual(omnilink.check(lost, LossyQueue).verdict, "valid")

    def test_several_initial_states(self):
        class Unknown(Register):
            def initial(self):
                return [0, 5]

        self.assertEqual(omnilink.check([op(0, "read", 0, 1, ret=5)], Unknown).verdict, "valid")
        both = [op(0, "read", 0, 1, ret=5), op(0, "read", 2, 3, ret=0)]
        self.assertEqual(omnilink.check(both, Unknown).verdict, "violation")

    def test_a_model_can_ask_for_threads(self):
        mine = [op(0, "acquire", 0, 1), op(0, "release", 2, 3)]
        other = [op(0, "acquire", 0, 1), op(1, "release", 2, 3)]
        self.assertEqual(omnilink.check(mine, Lock).verdict, "valid")
        self.assertEqual(omnilink.check(other, Lock).verdict, "violation")


class BadModels(unittest.TestCase):
    def refused(self, pattern, initial=lambda self: 0, **methods):
        methods = {"initial": initial, "step": lambda self, state, op: state, **methods}
        with self.assertRaisesRegex(omnilink.ModelError, pattern) as raised:
            omnilink.check(FRESH, type("Bad", (), methods))
        return raised.exception

    def test_an_exception_of_a_step_is_the_cause(self):
        def step(self, state, op):
            raise KeyError("no such key")

        error = self.refused(r"step\(0, write\(value: 1\)\) of the model raised KeyError", step=step)
        self.assertIsInstance(error.__cause__, KeyError)
        self.assertIsInstance(self.refused("initial", initial=step.__get__).__cause__, TypeError)
        for method in ["partition", "is_pure"]:
            self.refused(method, **{method: lambda self, op: 1 // 0})

    def test_an_exception_of_a_generator_is_the_cause(self):
        def step(self, state, op):
            yield 1
            yield 1 // 0

        error = self.refused(r"step\(0, write\(value: 1\)\) of the model raised ZeroDivisionError", step=step)
        self.assertIsInstance(error.__cause__, ZeroDivisionError)

    def test_what_is_asynchronous_is_refused(self):
        async def step(self, state, op):
            return state

        async def generator(self, state, op):
            yield state

        async def question(self, op=None):
            return 1

        for method in (step, generator):
            self.refused(r"step\(state, op\) of the model is asynchronous", step=method)
        self.refused(r"initial\(\) of the model is asynchronous", initial=question)
        for method in ("partition", "is_pure"):
            self.refused(method + r"\(op\) of the model is asynchronous", **{method: question})

    def test_limits_hold_in_a_generator_that_never_ends(self):
        class Growing:
            def initial(self):
                return 0

            def step(self, state, op):
                number = 0
                while True:
                    number += 1
                    yield number

        class Standing(Growing):
            def step(self, state, op):
                while True:
                    yield 1

        for model in (Growing, Standing):
            result = omnilink.check(FRESH, model, time_limit=0.5)
            self.assertEqual((result.verdict, "time" in str(result)), ("unknown", True))
        result = omnilink.check(FRESH, Growing, memory_limit=1)
        self.assertEqual((result.verdict, "memory" in str(result)), ("unknown", True), str(result))

    def test_what_is_no_exception_is_not_wrapped(self):
        class Leaving:
            def initial(self):
                return 0

            def step(self, state, op):
                raise SystemExit(3)

        with self.assertRaises(SystemExit):
            omnilink.check(FRESH, Leaving)

    def test_what_is_no_state(self):
        self.refused("returned None", initial=lambda self: None)
        self.refused("returned an empty list", initial=lambda self: [])
        self.refused("returned True or False", step=lambda self, state, op: True)
        self.refused("None is no state", step=lambda self, state, op: [None])
        self.refused("must have a hash", step=lambda self, state, op: {"a": bytearray()})
        cyclic = {}
        cyclic["self"] = cyclic
        self.refused("must have a hash", step=lambda self, state, op: cyclic)

    def test_what_is_no_model(self):
        with self.assertRaisesRegex(omnilink.ModelError, "int is no model: it has no method initial"):
            omnilink.check(FRESH, 7)
        with self.assertRaisesRegex(omnilink.UsageError, "linearizability or sequential"):
            omnilink.check(FRESH, Register, consistency="causal")
