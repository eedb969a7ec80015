"""Records what a system under test does. `recorders/python/omnilink.py`, the file to copy, has a part of this, which behaves alike."""

import os
import threading

from omnilink import _native
from omnilink._calls import Calls, _Callers
from omnilink._checks import assert_valid, check
from omnilink._errors import InputError, RecorderError


class ModelValue(str):
    """A TLA+ model value: equal to itself, and to nothing else."""


class StepCall:
    """A call that has begun. Unless it is ended, it stays pending: it may have taken effect, or may take effect later."""

    __slots__ = ("_log", "_op", "_time")

    def __init__(self, log, op):
        self._log, self._op, self._time = log, op, None

    def tighten_end(self):
        """Ends the timebox now, and the call later: for what only releases a lock or formats a result."""
        self._time = self._log._lane.time()

    def end(self, *result, meta=None):
        """The call returned: nothing, or a result. One that cannot be recorded leaves it pending, and stops the recording."""
        self._over().end(self._op, self._time, result, meta)

    def abort(self):
        """The system said that the operation did not happen, and will not."""
        self._over().abort(self._time)

    def cancel(self):
        """The operation was not even tried: its record goes."""
        self._over().cancel()

    def leave(self):
        """The call stays pending, as after a time-out."""
        self._over()

    def _over(self):
        log = self._log
        if log._open is not self:
            raise RecorderError(f"{self._op} has ended already")
        log._open = None
        return log._lane


class ThreadLog:
    """The operations of one thread, session or client that makes one call at a time."""

    __slots__ = ("_lane", "_open")

    def __init__(self, lane):
        self._lane, self._open = lane, None

    def begin(self, op, /, **args):
        """Begins a call. Its record is in the file when this returns, unless recording has stopped; `Recorder.close` tells."""
        if self._open is not None:
            raise RecorderError(f"{self._open._op} of this thread has not ended; end or leave it first")
        if not isinstance(op, str) or not op:
            raise RecorderError(f"an operation is called by a text, not by {op!r}")
        self._lane.begin(op, args)
        self._open = StepCall(self, op)
        return self._open


class _Recorded:
    """A call of a caller that nobody has named."""

    __slots__ = ("caller", "log", "call")

    def __init__(self, caller, log, call):
        self.caller, self.log, self.call = caller, log, call

    def end(self, ret):
        try:
            self.call.end(ret)
        finally:
            self.caller.idle.append(self.log)

    def lose(self):
        try:
            self.call.leave()
        finally:
            self.caller.idle.append(self.log)

    def abort(self):
        try:
            self.call.abort()
        finally:
            self.caller.idle.append(self.log)


class Recorder(Calls):
    """Records operations as a trace: into a folder that is new or empty, or into memory.

    Every thread and every task of asyncio has a log of its own, a file in the folder; `thread(label)` gives one to a session or a client. A
    call is in the file before it begins, so what a killed process has recorded can be checked. `header` is written into every file.

        with omnilink.Recorder("traces/run-1", seed=7) as recorder:
            recorder.call("put", lambda: queue.put(1), value=1)
            with recorder.operation("get") as call:
                call.ret = queue.get()
        assert omnilink.check(recorder, model="queue")

    It never gets in the way of the system: a value that cannot be recorded, or a full disk, stops the recording, and `close` tells.
    """

    def __init__(self, folder=None, **header):
        self.folder = None if folder is None else os.fspath(folder)
        for name in ("omnilink", "unit", "clock"):
            if name in header:
                raise RecorderError(f"the header field {name} is written by the recorder; choose another name")
        self._callers = _Callers()
        self._recording = _native.Recording(self.folder, header)
        self._labels, self._lock = set(), threading.Lock()
        self._bytes = self._error = None
        self._closed = False
        #: How many operations were recorded, and how many of them never returned; known when the recorder is closed.
        self.operations = self.pending = None

    def thread(self, label):
        """The log of a thread, session or client: a number or a string, one log for each."""
        if isinstance(label, bool) or not isinstance(label, (int, str)):
            raise RecorderError(f"a thread is a number or a string, not {label!r}")
        if not str(label) or "'" in str(label):
            raise RecorderError(f"a thread cannot be called {label!r}: the name is empty, or has a '")
        with self._lock:
            if str(label) in self._labels:
                raise RecorderError(f"the thread {label} has a log already; each thread needs a name of its own")
            return self._log(label)

    def _log(self, label):
        lane = self._recording.lane(label)
        self._labels.add(str(label))
        return ThreadLog(lane)

    def _begin(self, op, args):
        caller = self._callers.current()
        log = caller.idle.pop() if caller.idle else self._next(caller)
        try:
            try:
                call = log.begin(op, **args)
            except (InputError, TypeError, ValueError) as error:
                log._lane.refuse(f"an argument of {op} cannot be recorded: {error}")
                call = log.begin(op)  # only counted
        except BaseException:
            caller.idle.append(log)
            raise
        return _Recorded(caller, log, call)

    def _next(self, caller):
        """A log of a caller that nobody has named."""
        number, caller.number = caller.number, None
        with self._lock:
            while number is None or str(number) in self._labels:
                number = next(self._callers._numbers)
            return self._log(number)

    def close(self):
        """Completes the files. Calls that are still open stay pending. Raises if something was not recorded."""
        if self._closed:
            return
        self._closed = True
        try:
            self.operations, self.pending, self._bytes = self._recording.finish()
        except RecorderError as error:
            self._error = error
            raise

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
        if self._error is not None:
            raise self._error
        return self.folder if self._bytes is None else self._bytes

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        self.close()

    def __repr__(self):
        return f"<omnilink.Recorder {'closed' if self._closed else 'open'}: {self.folder or 'in memory'}>"
