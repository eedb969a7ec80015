"""States of models that have no hash: dicts, lists and sets, frozen so that they can be compared and kept, and thawed for each step."""


class Refused:
    """What `step` returns if an operation cannot happen, with the reason that reports show; `None` says the same without one."""

    __slots__ = ("reason",)

    def __init__(self, reason):
        self.reason = reason

    def __repr__(self):
        return f"Refused({self.reason!r})"


class _Frozen(tuple):
    """A kind and its content: a type of its own, so that no tuple of a model is taken for one."""

    __slots__ = ()


def freeze(state):
    """The state as an object with a hash. Raises TypeError for objects that have none, RecursionError for a list that contains itself."""
    kind = type(state)
    if kind is dict:
        return _Frozen((dict, frozenset((key, freeze(value)) for key, value in state.items())))
    if kind is list or kind is tuple:
        return _Frozen((kind, tuple(map(freeze, state))))
    if kind is set:
        return _Frozen((set, frozenset(state)))
    hash(state)
    return state


def thaw(frozen):
    """A new copy of the state."""
    if type(frozen) is not _Frozen:
        return frozen
    kind, content = frozen
    if kind is dict:
        return {key: thaw(value) for key, value in content}
    if kind is set:
        return set(content)
    return kind(map(thaw, content))
