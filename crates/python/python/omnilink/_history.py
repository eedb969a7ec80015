"""Histories as people have them: paths, records, frames."""

import os

from omnilink import _native
from omnilink._errors import InputError, UsageError

# The fields of a record of format 1. Other columns of a frame are arguments.
_FIELDS = ("omnilink", "thread", "op", "args", "start", "end", "ret", "aborted", "meta", "vars", "clock")
# Beyond this, a float has lost digits of the integer that it was.
_EXACT_MAX = 2**53


def source(history):
    """What the extension takes: the path of a trace, or a trace as bytes."""
    if isinstance(history, (str, os.PathLike)):
        return os.fspath(history)
    if isinstance(history, (bytes, bytearray, memoryview)):
        return bytes(history)
    recording = getattr(history, "_trace", None)
    if callable(recording):
        return recording()
    if isinstance(history, dict):
        raise UsageError("a history is a list of operations, and this is one dict; give [operation, …], a path or a frame")
    if callable(getattr(history, "to_dicts", None)):
        return _native.encode(_rows(history.to_dicts()))
    if callable(getattr(history, "to_dict", None)) and hasattr(history, "columns"):
        return _native.encode(_rows(history.to_dict("records")))
    try:
        records = iter(history)
    except TypeError:
        raise InputError(f"an object of type {type(history).__name__} is no history; give a list of dicts, a path, a frame or an iterator") from None
    return _native.encode(records)


def _rows(records):
    """The rows of a frame: what is missing is left out, and columns that are no fields of a trace are arguments."""
    for number, row in enumerate(records, 1):
        record, args = {}, {}
        for name, cell in row.items():
            if _is_missing(cell):
                continue
            place = record if name in _FIELDS else args
            place[name] = _time(cell, name, number) if name in ("start", "end", "thread") else cell
        if args:
            record["args"] = {**record.get("args", {}), **args}
        yield record


def _is_missing(cell):
    # NaN, NaT and pandas.NA are not equal to themselves; comparing the last gives NA again, which is neither true nor false.
    if cell is None or type(cell).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(cell, float) and cell != cell


def _time(cell, name, number):
    """A column of integers of which some are missing has become one of floats."""
    if not isinstance(cell, float) or not cell.is_integer():
        return cell
    if abs(cell) >= _EXACT_MAX:
        raise InputError(f"history:{number}: {name}: {cell!r} has lost digits as a float; give the column an integer type, such as Int64 of pandas")
    return int(cell)
