"""Does a running concurrent system do what its specification says?

    >>> import omnilink
    >>> result = omnilink.check([
    ...     {"thread": 0, "op": "write", "args": {"value": 1}, "start": 0, "end": 10},
    ...     {"thread": 1, "op": "read", "ret": 0, "start": 20, "end": 30},
    ... ], model="register:initial=0")
    >>> result.verdict
    'violation'

docs/python.md is the tutorial. The command is in the same package: `python -m omnilink`.
"""

from omnilink._calls import Call
from omnilink._checks import assert_valid, check, lineup, mc, validate
from omnilink._command import find_command
from omnilink._errors import (
    Error,
    InputError,
    InternalError,
    ModelError,
    RecorderError,
    SpecError,
    UsageError,
    ViolationError,
)
from omnilink._live_check import LiveCheck, Monitor
from omnilink._native import Op, __version__
from omnilink._recorder import ModelValue, Recorder, StepCall, ThreadLog
from omnilink._result import Result
from omnilink._states import Refused

__all__ = [
    "Call",
    "Error",
    "InputError",
    "InternalError",
    "ModelError",
    "ModelValue",
    "LiveCheck",
    "Monitor",
    "Op",
    "Recorder",
    "RecorderError",
    "Refused",
    "Result",
    "SpecError",
    "StepCall",
    "ThreadLog",
    "UsageError",
    "ViolationError",
    "__version__",
    "assert_valid",
    "check",
    "find_command",
    "lineup",
    "mc",
    "validate",
]
