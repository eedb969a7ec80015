"""Records operations as a trace for `omnilink check` and `omnilink validate`: one NDJSON file per thread."""
import json, os, threading, time


class Recorder:
    def __init__(self, folder, **header):
        os.makedirs(folder)  # one folder is one trace, so it must be new
        self.folder, self.header, self.local = folder, header, threading.local()

    def call(self, op, function, **args):
        """Runs function() and records it. An exception leaves it pending: it may have taken effect."""
        log = self.local
        if not hasattr(log, "file"):
            log.thread, log.pending = str(threading.get_native_id()), 0
            log.file = open(f"{self.folder}/{log.thread}.ndjson", "wb", buffering=0)
            self._write({"omnilink": 1, "unit": "ns", "clock": "monotonic", **self.header})
        # In the file before the call starts, as a pending operation: kill -9 loses nothing that happened.
        label = f"{log.thread}'{log.pending}" if log.pending else log.thread
        self._write({"thread": label, "op": op, "args": args, "start": time.monotonic_ns()})
        log.pending += 1  # nothing of the same thread can come after an operation that stays pending
        result = function()
        end = time.monotonic_ns()  # read before anything else is done
        log.pending -= 1
        log.file.seek(-2, os.SEEK_CUR)  # the end becomes part of the line
        log.file.write(f', "end": {end}, "ret": {json.dumps(result)}}}\n'.encode())
        return result

    def _write(self, record):
        self.local.file.write(json.dumps(record).encode() + b"\n")  # unbuffered
