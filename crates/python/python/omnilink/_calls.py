"""Calls of a system under test, however its code makes them: functions, blocks, decorated methods, coroutines."""

import functools
import inspect
import itertools
import sys
import threading
import weakref


def _current_task():
    """The asyncio task that runs, if one does."""
    asyncio = sys.modules.get("asyncio")
    if asyncio is None:
        return None
    try:
        return asyncio.current_task()
    except RuntimeError:
        return None


class _Caller:
    """A thread or a task, with the lanes that it does not use at the moment: a call inside a call takes another lane."""

    __slots__ = ("number", "idle")

    def __init__(self, number):
        self.number = number
        self.idle = []


class _Callers:
    """Who calls: each thread, and each task of asyncio."""

    def __init__(self):
        self._numbers = itertools.count()
        self._thread = threading.local()
        self._tasks = weakref.WeakKeyDictionary()

    def current(self):
        task = _current_task()
        if task is not None:
            caller = self._tasks.get(task)
            if caller is None:
                caller = self._tasks[task] = _Caller(next(self._numbers))
            return caller
        try:
            return self._thread.caller
        except AttributeError:
            caller = self._thread.caller = _Caller(next(self._numbers))
            return caller


class Call:
    """A call that is being made: `with recorder.operation("get", key=1) as call: call.ret = store.get(1)`.

    An exception leaves it pending, because it may have taken effect; `abort` says that it has not.
    """

    __slots__ = ("ret", "_begin", "_open")

    def __init__(self, begin):
        self.ret = None
        self._begin = begin
        self._open = None

    def abort(self):
        """The system has reported that the operation failed and had no effect."""
        self._ended().abort()

    def __enter__(self):
        self._open = self._begin()
        return self

    def __exit__(self, kind, error, trace):
        if self._open is not None:
            opened = self._ended()
            if kind is None:
                opened.end(self.ret)
            else:
                opened.lose()

    def _ended(self):
        opened, self._open = self._open, None
        if opened is None:
            raise RuntimeError("the call has ended, or has not begun: use it in a with block")
        return opened


class Calls:
    """What records or watches calls. Subclasses have `_begin(op, args)`, which returns an object with `end(ret)`, `lose()` and `abort()`."""

    def call(self, op, function, /, **args):
        """Runs `function()` as the operation `op` with these arguments, and returns its result."""
        opened = self._begin(op, args)
        try:
            result = function()
        except BaseException:
            opened.lose()
            raise
        opened.end(result)
        return result

    async def call_async(self, op, awaitable, /, **args):
        """Awaits as the operation `op` with these arguments, and returns the result."""
        opened = self._begin(op, args)
        try:
            result = await awaitable
        except BaseException:
            opened.lose()
            raise
        opened.end(result)
        return result

    def operation(self, op, /, **args):
        """A block that is the operation `op`: see `Call`."""
        return Call(lambda: self._begin(op, args))

    def recorded(self, op=None):
        """A decorator: calls of the function are operations called `op`, or by its own name, with its arguments by name.

        The first parameter of a method is left out.
        """
        if callable(op):
            return self.recorded()(op)

        def decorate(function):
            name = op or function.__name__
            named = _names_of(function)
            if inspect.iscoroutinefunction(function):

                @functools.wraps(function)
                async def recorded(*args, **kwargs):
                    return await self.call_async(name, function(*args, **kwargs), **named(args, kwargs))

            else:

                @functools.wraps(function)
                def recorded(*args, **kwargs):
                    return self.call(name, lambda: function(*args, **kwargs), **named(args, kwargs))

            return recorded

        return decorate


def _names_of(function):
    """The arguments of a call by the names of the parameters."""
    signature = inspect.signature(function)

    def named(args, kwargs):
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        arguments = {}
        for name, value in bound.arguments.items():
            kind = signature.parameters[name].kind
            if kind is inspect.Parameter.VAR_KEYWORD:
                arguments.update(value)
            elif kind is not inspect.Parameter.VAR_POSITIONAL or value:
                arguments[name] = value
        first = next(iter(arguments), None)
        if first in ("self", "cls"):
            del arguments[first]
        return arguments

    return named
