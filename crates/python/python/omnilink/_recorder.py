"""Records what a system under test does."""

import os

from omnilink import _native
from omnilink._calls import Calls, _Callers
from omnilink._checks import assert_valid, check
from omnilink._errors import RecorderError


class _OpenCall:
    __slots__ = ("caller", "lane")

    def __init__(self, caller, lane):
        self.caller, self.lane = caller, lane

    def end(self, ret):
        # A result that cannot be recorded leaves the call pending, and the lane goes on as another thread.
        try:
            self.lane.end(ret)
        finally:
            self.caller.idle.append(self.lane)

    def lose(self):
        self.caller.idle.append(self.lane)

    def abort(self):
        try:
            self.lane.abort()
        finally:
            self.caller.idle.append(self.lane)


class Recorder(Calls):
    """Records operations as a trace: into a folder that is new or empty, or into memory.

    Every thread and every task of asyncio has a log of its own, a file in the folder. A call is in the file before it begins, so what a
    killed process has recorded can be checked. `header` is written into every file.

        with omnilink.Recorder("traces/run-1", seed=7) as recorder:
            recorder.call("put", lambda: queue.put(1), value=1)
            with recorder.operation("get") as call:
                call.ret = queue.get()
        assert omnilink.check(recorder, model="queue")
    """

    def __init__(self, folder=None, **header):
        self.folder = None if folder is None else os.fspath(folder)
        self._callers = _Callers()
        self._recording = _native.Recording(self.folder, header)
        self._bytes = None
        self._closed = False
        #: How many operations were recorded, and how many of them never returned; known when the recorder is closed.
        self.operations = self.pending = None

    def _begin(self, op, args):
        caller = self._callers.current()
        lane = caller.idle.pop() if caller.idle else self._lane(caller)
        try:
            lane.begin(op, args)
        except BaseException:
            caller.idle.append(lane)
            raise
        return _OpenCall(caller, lane)

    def _lane(self, caller):
        number, caller.number = caller.number, None
        if number is None:
            number = next(self._callers._numbers)
        return self._recording.lane(number)

    def close(self):
        """Completes the files. Calls that are still open stay pending."""
        if self._closed:
            return
        self._closed = True
        self.operations, self.pending, self._bytes = self._recording.finish()

    def check(self, model=None, **options):
        """Closes the recorder, and checks what it has recorded: see `omnilink.check`."""
        self.close()
        return check(self, model, **options)

    def assert_valid(self, model=None, **options):
        """Closes the recorder, and raises `ViolationError` unless what it has recorded is valid."""
        self.close()
        return assert_valid(self, model, **options)

    def _trace(self):
        if not self._closed:
            raise RecorderError("the recorder is still open; close() it, or leave its with block, before what it recorded is checked")
        return self.folder if self._bytes is None else self._bytes

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        self.close()

    def __repr__(self):
        return f"<omnilink.Recorder {'closed' if self._closed else 'open'}: {self.folder or 'in memory'}>"
