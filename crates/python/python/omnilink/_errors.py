"""What can go wrong. Every message says what to do about it, in the words of the command."""


class Error(Exception):
    """The base of all exceptions of this package."""


class UsageError(Error, ValueError):
    """Arguments that make no sense, or not together."""


class InputError(Error, ValueError):
    """A history, a trace or a file that cannot be checked."""


class SpecError(Error, ValueError):
    """A specification that cannot be read or evaluated."""


class ModelError(Error):
    """A model in Python that raised an exception (`__cause__`), or returned what is no state."""


class RecorderError(Error, RuntimeError):
    """A recorder that cannot record: it was closed, belongs to another process, or its disk is full."""


class InternalError(Error, RuntimeError):
    """A mistake of this package: please report it."""


class ViolationError(Error, AssertionError):
    """What `Result.raise_for_verdict` raises. `result` is the result."""

    def __init__(self, message, result):
        super().__init__(message)
        self.result = result
