"""Records operations as a trace for `omnilink check` and `omnilink validate`: one NDJSON file per thread. One file, no dependencies, Python 3.8."""
import enum, itertools, json, math, numbers, os, re, threading, time

_DEPTH_MAX = 90  # the reader refuses what is nested deeper
_PARTS_MAX = 1 << 20  # a value that shares parts with itself can be as long as memory allows


class RecorderError(Exception):
    """Recording cannot begin, was used wrongly, or stopped early."""


class ModelValue(str):
    """A TLA+ model value: equal to itself, and to nothing else."""


# What is no Unicode, or looks like one of its escapes.
_ESCAPED = re.compile(r"\\(?=x[0-9a-f]{2}|ud[0-9a-f]{3})|[\ud800-\udfff]")


def _lossless(text):
    """A text as Unicode. Half of a surrogate pair is written \\ud800, and a backslash that begins what looks like an escape \\x5c, so that no
    two texts are written alike. All recorders do the same."""
    if not _ESCAPED.search(text):
        return text
    text = text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
    return _ESCAPED.sub(lambda found: "\\x5c" if found[0] == "\\" else "\\u%04x" % ord(found[0]), text)


def _json(value):
    return json.dumps(_plain(value, 0, itertools.count()), allow_nan=False)


def _plain(value, depth, parts):
    """A value as the format has it."""
    if next(parts) > _PARTS_MAX:
        raise ValueError(f"a value has more than {_PARTS_MAX} parts; record what tells values apart")
    if depth > _DEPTH_MAX:
        raise ValueError(f"a value is nested more than {_DEPTH_MAX} deep; does it contain itself?")
    if isinstance(value, ModelValue):
        return {"$model": _lossless(str(value))}
    if isinstance(value, enum.Enum):
        return _lossless(value.name)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return _lossless(value)
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"{value} cannot be recorded: JSON has no such number; pass a string")
        return value
    if isinstance(value, (bytes, bytearray)):
        return list(value)
    if isinstance(value, (list, tuple)):
        return [_plain(item, depth + 1, parts) for item in value]
    if isinstance(value, (set, frozenset)):
        return {"$set": [_plain(item, depth + 1, parts) for item in value]}
    if isinstance(value, dict):
        # A key with a dollar would be read as one of the other values.
        if all(isinstance(key, str) and not isinstance(key, ModelValue) and not key.startswith("$") for key in value):
            return {_plain(key, depth, parts): _plain(item, depth + 1, parts) for key, item in value.items()}
        return {"$fn": [[_plain(key, depth + 1, parts), _plain(item, depth + 1, parts)] for key, item in value.items()]}
    raise TypeError(f"a {type(value).__name__} cannot be recorded; pass a number, a string, a list, a dict, a set or a ModelValue")


class _Stop:
    """Whether recording has stopped. If one thread cannot record, no other goes on: what it recorded might depend on what is missing."""

    def __init__(self):
        self.reason, self.lost = None, 0

    def because(self, reason):
        self.reason = self.reason or reason


class Call:
    """A call that has begun. Unless it is ended, it stays pending: it may have taken effect, or may take effect later."""

    def __init__(self, log, op, length):
        self._log, self._op, self._length, self._end = log, op, length, None

    def tighten_end(self):
        """Ends the timebox now, and the call later: for what only releases a lock or formats a result."""
        self._end = time.monotonic_ns()

    def end(self, *result, meta=None):
        """The call returned: nothing, or a result."""
        self._stamp()
        try:
            more = "".join(f', "ret": {_json(value)}' for value in result) + ("" if meta is None else f', "meta": {_json(meta)}')
        except Exception as error:
            # It happened, so it must not get lost: it stays pending, and recording stops with the reason.
            self._log.stop.because(f"{self._op} returned what cannot be recorded: {error}")
            self.leave()
            return
        self._finish(more)

    def abort(self):
        """The system said that the operation did not happen, and will not."""
        self._stamp()
        self._finish(', "aborted": true')

    def cancel(self):
        """The operation was not even tried: its record goes."""
        log = self._over()
        if self._length:
            log.cut(self._length)

    def leave(self):
        """The call stays pending, as after a time-out."""
        self._over().pending += 1

    def _stamp(self):
        if self._end is None:
            self.tighten_end()

    def _finish(self, more):
        log = self._over()
        if self._length:
            log.write(f', "end": {self._end}{more}}}\n', "}\n")

    def _over(self):
        log = self._log
        log.check()
        if log.open is not self:
            raise RecorderError(f"{self._op} has ended already")
        log.open = None
        return log


class ThreadLog:
    """The operations of one thread, session or client that makes one call at a time."""

    def __init__(self, recorder, label, path):
        self.recorder, self.stop, self.label = recorder, recorder.stop, label
        self.pending, self.open, self.size, self.file = 0, None, 0, None
        try:
            self.file = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_CLOEXEC", 0), 0o666)
        except OSError as error:  # the system goes on: its calls are counted, and closing tells
            self.stop.because(f"{path}: cannot be created: {error}")
        self.write(recorder.header + "\n")

    def check(self):
        if self.recorder.pid != os.getpid():
            raise RecorderError(f"this recorder belongs to process {self.recorder.pid}; a child needs one of its own, in a folder of its own")
        if self.recorder.is_closed:
            raise RecorderError("the recorder is closed")

    def begin(self, op, /, **args):
        """Begins a call. Its record is in the file when this returns, unless recording has stopped; `Recorder.close` tells."""
        self.check()
        if not isinstance(op, str) or not op:
            raise RecorderError(f"an operation is called by a text, not by {op!r}")
        if self.open is not None:
            raise RecorderError(f"{self.open._op} of this thread has not ended; end or leave it first")
        # Nothing of the same thread can come after an operation that stays pending.
        label = f"{self.label}'{self.pending}" if self.pending else self.label
        line = f'{{"thread": {_json(label)}, "op": {_json(op)}, "args": {_json(args)}, "start": {time.monotonic_ns()}}}\n'
        length = self.write(line)
        if not length:
            self.stop.lost += 1
        self.open = Call(self, op, length)
        return self.open

    def write(self, text, old=""):
        """Writes over the last bytes of the file, which are `old`, by one system call; how many bytes, or 0 if recording has stopped."""
        if self.stop.reason is not None:
            return 0
        data, start = text.encode(), self.size - len(old)
        try:
            done = os.pwrite(self.file, data, start)
            while done < len(data):
                done += os.pwrite(self.file, data[done:], start + done)
        except OSError as error:
            self.stop.because(f"{self.recorder.folder}: cannot be written: {error}")
            try:  # a part of it may have been written: the last line becomes what it was
                os.pwrite(self.file, old.encode(), start)
                os.ftruncate(self.file, self.size)
            except OSError:
                pass  # a last line that is cut off is no operation for the reader
            return 0
        self.size = start + len(data)
        return len(data)

    def cut(self, length):
        """Cuts the last line off."""
        if self.stop.reason is None:
            try:
                os.ftruncate(self.file, self.size - length)
                self.size -= length
            except OSError as error:
                self.stop.because(f"{self.recorder.folder}: cannot be cut: {error}")


class Recorder:
    """A trace: a folder that is new or empty, with one file for each thread. `header` says what is known about the run."""

    def __init__(self, folder, **header):
        for name in ("omnilink", "unit", "clock"):
            if name in header:
                raise RecorderError(f"the header field {name} is written by the recorder; choose another name")
        self.header = _json({"omnilink": 1, "unit": "ns", "clock": "monotonic", **header})
        os.makedirs(folder, exist_ok=True)
        if os.listdir(folder):
            raise RecorderError(f"{folder}: the folder is not empty, and a folder is one trace; choose another")
        self.folder, self.pid, self.stop, self.is_closed = os.fspath(folder), os.getpid(), _Stop(), False
        self._logs, self._numbers, self._local, self._lock = {}, itertools.count(), threading.local(), threading.Lock()

    def thread(self, label):
        """The log of a thread, session or client: a number or a string, one log for each."""
        if isinstance(label, bool) or not isinstance(label, (int, str)):
            raise RecorderError(f"a thread is a number or a string, not {label!r}")
        if not str(label) or "'" in str(label):
            raise RecorderError(f"a thread cannot be called {label!r}: the name is empty, or has a '")
        with self._lock:
            if str(label) in self._logs:
                raise RecorderError(f"the thread {label} has a log already; each thread needs a name of its own")
            return self._log(label)

    def _log(self, label):
        if self.is_closed:
            raise RecorderError("the recorder is closed")
        log = ThreadLog(self, label, os.path.join(self.folder, f"{len(self._logs)}.ndjson"))
        self._logs[str(label)] = log
        return log

    def call(self, op, function, /, **args):
        """Runs function() and records it in a log of the calling thread. An exception leaves it pending: it may have taken effect.

        A value that cannot be recorded stops the recording, not the system: closing tells."""
        idle = self._local.__dict__.setdefault("idle", [])  # a call inside a call needs a log of its own
        log = idle.pop() if idle else self._next()
        try:
            try:
                call = log.begin(op, **args)
            except RecorderError:
                raise
            except Exception as error:
                self.stop.because(f"an argument of {op} cannot be recorded: {error}")
                call = log.begin(op)  # only counted
            try:
                result = function()
            except BaseException:
                call.leave()
                raise
            call.end(result)
            return result
        finally:
            idle.append(log)

    def _next(self):
        """The log of a caller that nobody has named."""
        with self._lock:
            return self._log(next(number for number in self._numbers if str(number) not in self._logs))

    def close(self):
        """Ends the recording. Calls that have not ended stay pending. Raises if something was not recorded."""
        with self._lock:
            if self.is_closed or self.pid != os.getpid():
                return
            self.is_closed = True
            for log in self._logs.values():
                if log.file is not None:
                    os.close(log.file)
        if self.stop.reason is not None:
            raise RecorderError(f"recording stopped, and {self.stop.lost} operations are missing: {self.stop.reason}")
