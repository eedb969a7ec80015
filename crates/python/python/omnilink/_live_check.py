"""Checks a system while it runs."""

from omnilink import _native
from omnilink._calls import Calls, _Callers
from omnilink._checks import _given, _model
from omnilink._result import Result


class _WatchedCall:
    __slots__ = ("watch", "number")

    def __init__(self, watch, number):
        self.watch, self.number = watch, number

    def end(self, ret):
        self.watch.returned(self.number, ret)

    def lose(self):
        self.watch.lost(self.number)

    def abort(self):
        # A live check takes it for one that may have had an effect, which can only hide a violation.
        self.watch.lost(self.number)


class LiveCheck(Calls):
    """Checks calls and returns as they happen, on a thread of its own.

    A violation is known at the first call after the return that nothing explains: `verdict` then says so, while the system still runs.

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
        self._result = None

    def _begin(self, op, args):
        return _WatchedCall(self._watch, self._watch.call(self._callers.current().number, op, args))

    @property
    def verdict(self):
        """The verdict, as soon as nothing can change it; None until then, and `error` if `close` is going to raise."""
        return self._watch.verdict if self._result is None else self._result.verdict

    def close(self):
        """Ends the check, and returns its result. Calls that are still open may or may not have taken effect."""
        if self._result is None:
            self._result = Result([self._watch.finish()])
        return self._result

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if kind is None:
            self.close()


# The name that it had first.
Monitor = LiveCheck
