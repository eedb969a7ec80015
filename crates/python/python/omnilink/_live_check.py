"""Checks a system while it runs."""

from omnilink import _native
from omnilink._calls import Calls, _Callers
from omnilink._checks import _given, _model
from omnilink._errors import InputError, RecorderError
from omnilink._result import Result


class _WatchedCall:
    __slots__ = ("live", "op", "number")

    def __init__(self, live, op, number):
        self.live, self.op, self.number = live, op, number

    def end(self, ret):
        if self.number is None:
            return
        try:
            self.live._watch.returned(self.number, ret)
        except (InputError, TypeError, ValueError) as error:
            self.live._stop(f"{self.op} returned what cannot be checked: {error}")

    def lose(self):
        if self.number is not None:
            self.live._watch.lost(self.number)

    # A live check takes it for one that may have had an effect, which can only hide a violation.
    abort = lose


class LiveCheck(Calls):
    """Checks calls and returns as they happen, on a thread of its own.

    It never gets in the way of the system: a value that cannot be checked ends the check, not the system, and `close` tells. A violation is known
    at the first call after the return that nothing explains: `verdict` then says so, while the system still runs.

        with omnilink.LiveCheck("queue") as live:
            live.call("put", lambda: queue.put(1), value=1)
            live.call("get", queue.get)
        assert live.close()
    """

    def __init__(self, model, *, consistency=None, time_limit=None, memory_limit=None, config_limit=None):
        settings = _given(
            dict(consistency=consistency, time_limit=time_limit, memory_limit=memory_limit, config_limit=config_limit)
        )
        self._callers = _Callers()
        self._watch = _native.Watch(_model(model), settings)
        self._result = self._stopped = None

    def _begin(self, op, args):
        if not isinstance(op, str) or not op:
            raise RecorderError(f"an operation is called by a text, not by {op!r}")
        number = None
        if self._stopped is None:
            try:
                number = self._watch.call(self._callers.current().number, op, args)
            except (InputError, TypeError, ValueError) as error:
                self._stop(f"an argument of {op} cannot be checked: {error}")
        return _WatchedCall(self, op, number)

    def _stop(self, reason):
        """What follows cannot be judged, since it may depend on what is missing."""
        self._stopped = self._stopped or reason

    @property
    def verdict(self):
        """The verdict, as soon as nothing can change it; None until then, and `error` if `close` is going to raise."""
        return self._watch.verdict if self._result is None else self._result.verdict

    def close(self):
        """Ends the check, and returns its result. Calls that are still open may or may not have taken effect."""
        if self._result is None:
            self._result = Result([self._watch.finish()])
        if self._stopped is not None and self._result.verdict != "violation":
            raise RecorderError(f"the check stopped, so there is no verdict: {self._stopped}")
        return self._result

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if kind is None:
            self.close()


# The name that it had first.
Monitor = LiveCheck
