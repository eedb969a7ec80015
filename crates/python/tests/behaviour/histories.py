"""Small histories, and where the examples are."""

import os
import pathlib

REPOSITORY = pathlib.Path(os.environ["OMNILINK_REPOSITORY"])


def op(thread, name, start, end, ret=None, **args):
    record = {"thread": thread, "op": name, "args": args, "start": start, "end": end, "ret": ret}
    return {field: value for field, value in record.items() if value is not None}


# t0  |--write 1--|
# t1                  |--read 0--|
STALE = [op(0, "write", 0, 10, value=1), op(1, "read", 20, 30, ret=0)]
# t0  |--write 1--|
# t1     |--read 0--|
FRESH = [op(0, "write", 0, 10, value=1), op(1, "read", 5, 15, ret=0)]
