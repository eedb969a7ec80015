from collections.abc import Callable, Sequence
from typing import Any, ClassVar, TypeVar

from hypothesis import settings as _settings
from hypothesis.strategies import SearchStrategy

from omnilink import Model

_F = TypeVar("_F", bound=Callable[..., Any])

class DeadlockError(BaseException): ...

def command(**arguments: SearchStrategy[Any]) -> Callable[[_F], _F]: ...

class ConcurrentMachine:
    model: ClassVar[str | Model | type[Model] | None]
    consistency: ClassVar[str]
    threads: ClassVar[int]
    commands: ClassVar[int]
    repeats: ClassVar[int]
    timeout: ClassVar[float | None]
    def teardown(self) -> None: ...
    @classmethod
    def test(cls, settings: _settings | None = ..., seed: int | None = ...) -> Callable[[], None]: ...

def run(machine: type[ConcurrentMachine], plan: Sequence[Sequence[tuple[str, dict[str, Any]]]]) -> None: ...
