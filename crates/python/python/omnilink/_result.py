"""The answer to a check."""

import html
import json
import os
import tempfile
import webbrowser

from omnilink._errors import UsageError, ViolationError

# A page needs room for its timeline and for the explanations below it.
_HEIGHT = 640


class Result:
    """The answer to a check, with its evidence.

    True if the verdict is `valid`, so that `assert omnilink.check(...)` does what it says.
    """

    def __init__(self, answers, again=None, folders=()):
        # Of several histories in one input, the worst decides.
        self._answer = max(answers, key=lambda answer: answer.severity)
        self._answers = answers
        self._again = again
        self._folders = [os.fspath(folder) for folder in folders] + ["."]
        self._evidence = None

    @property
    def verdict(self):
        """`valid`, `violation`, or `unknown` if a limit was reached."""
        return self._answer.verdict

    @property
    def evidence(self):
        """All of the evidence as objects: docs/evidence.md describes them."""
        if self._evidence is None:
            self._evidence = json.loads(self._answer.json())
        return self._evidence

    @property
    def witness(self):
        """What explains a valid history; None of others, and of long histories."""
        return self.evidence.get("witness")

    @property
    def counterexample(self):
        """Why nothing explains the history, or the behaviour that violates a property; None if it is not a violation."""
        return self.evidence.get("violation") if self.verdict == "violation" else None

    @property
    def minimal(self):
        """The few operations that cause a violation, if they were asked for: see `minimize`."""
        return self.evidence.get("minimal")

    @property
    def notes(self):
        """What else a person should know."""
        return self._answer.notes

    @property
    def parts(self):
        """One result for each history of the input; most inputs are one history."""
        def again(position):
            return None if self._again is None else lambda: self._again().parts[position]

        return [Result([answer], again(position), self._folders) for position, answer in enumerate(self._answers)]

    def minimize(self):
        """The result of the same check with the violation shrunk to the few operations that make it one."""
        if self.verdict != "violation" or self._again is None or self.minimal is not None:
            return self
        return self._again()

    def report(self, form="text"):
        """The evidence as `text`, `markdown`, `html` (one page), `junit`, `sarif`, `github` or `dot`."""
        if form == "html":
            return self._answer.page(self._folders)
        if not isinstance(form, str):
            raise UsageError(f"the form of a report is a text such as 'markdown', not {form!r}")
        return self._answer.report(form)

    def write(self, path):
        """Writes the evidence as JSON, for `omnilink view` and `omnilink report`."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self._answer.json() + "\n")

    def show(self):
        """Opens the page in a browser; returns the path of the page."""
        with tempfile.NamedTemporaryFile("w", prefix="omnilink-", suffix=".html", delete=False, encoding="utf-8") as file:
            file.write(self.report("html"))
        webbrowser.open("file://" + file.name)
        return file.name

    def raise_for_verdict(self):
        """Raises `ViolationError` unless the verdict is `valid`; returns the result."""
        if self.verdict == "valid":
            return self
        raise ViolationError(self.report("text").rstrip(), self)

    def __bool__(self):
        return self.verdict == "valid"

    def __str__(self):
        return self.report("text")

    def __repr__(self):
        return f"<omnilink.Result {self.verdict}: {self.evidence.get('input')}>"

    def _repr_html_(self):
        # In a frame of its own the page keeps its policy: nothing of a trace can reach the notebook.
        page = html.escape(self.report("html"), quote=True)
        return f'<iframe srcdoc="{page}" sandbox="allow-scripts" width="100%" height="{_HEIGHT}" style="border:1px solid #8884"></iframe>'
