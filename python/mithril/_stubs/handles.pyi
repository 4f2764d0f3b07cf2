"""Small types of the compiled module."""

import enum
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from .._core import CompiledModel
from .types import PortType, Value

class dtype(enum.Enum):  # noqa: N801
    bool = 0
    int32 = 1
    int64 = 2
    float16 = 3
    bfloat16 = 4
    float32 = 5
    float64 = 6
    int8 = 7
    int16 = 8
    uint8 = 9

class MemoryHookHandle:
    def remove(self) -> None: ...

class LossScale:
    def __init__(
        self,
        init_scale: float,
        growth_factor: float,
        backoff_factor: float,
        growth_interval: int,
        growth_tracker: int = 0,
    ) -> None: ...
    scale: float
    @property
    def growth_factor(self) -> float: ...
    @property
    def backoff_factor(self) -> float: ...
    @property
    def growth_interval(self) -> int: ...
    @property
    def growth_tracker(self) -> int: ...
    @property
    def inverse(self) -> float: ...
    def update(self, found_inf: bool) -> None: ...

class HookHandle:
    def remove(self) -> None: ...

class Initializer:
    def __init__(self, law: str, *, a: float = 0.0, b: float = 1.0) -> None: ...
    @property
    def options(self) -> dict[str, Any]: ...

class RandomKey:
    def __init__(self, seed: int = 0) -> None: ...
    @property
    def seed(self) -> int: ...

class _PerSample:
    def __init__(
        self,
        compiled: CompiledModel,
        *,
        losses: str,
        reduction: str,
        shared: Sequence[str],
        strategy: str | None,
    ) -> None: ...
    def gradients(self, params: Any, data: Any, state: Any) -> dict[str, Any]: ...
    def norms(self, params: Any, data: Any, state: Any) -> tuple[Any, Any]: ...
    def dots(
        self,
        params: Any,
        data: Any,
        validation: Any,
        pairs: bool,
        validation_reduction: str,
        state: Any,
    ) -> tuple[Any, Any, Any, Any, Any, Any]: ...
    def weighted_gradients(
        self, params: Any, data: Any, weights: Any, state: Any
    ) -> dict[str, Any]: ...
    def clipped_gradients(
        self, params: Any, data: Any, max_norm: float, state: Any
    ) -> tuple[Any, Any, Any]: ...
    def projections(
        self,
        params: Any,
        data: Any,
        rank: int,
        seed: int,
        kind: str,
        ranks: list[tuple[str, int]],
        embeddings: bool,
        convolutions: bool,
        state: Any,
    ) -> tuple[Any, list[tuple[str, int, int, int]]]: ...
    def explain(self) -> str: ...
    def verify(self, params: Any, data: Any, state: Any, tolerance: float | None) -> None: ...
    def write_source(self, path: Any, data: Any, validation: Any, pairs: bool) -> None: ...
    def dots_module(self, data: Any, validation: Any, validation_reduction: str) -> str: ...

class Call: ...

class Solver:
    def shape(self, key: str) -> list[int | None] | None: ...
    def value(self, key: str) -> Any: ...
    def set_shape(self, key: str, shape: Sequence[int | None]) -> None: ...
    def set_value(self, key: str, value: Value) -> None: ...
    def set_type(self, key: str, type: PortType) -> None: ...
    def reject(self, message: str, expected: str = "", got: str = "") -> NoReturn: ...

class Backend:
    def __init__(self, library: str | Backend, options: dict[str, Any] = ...) -> None: ...
    @property
    def name(self) -> str: ...
    def get_memory_stats(self) -> dict[str, int | None]: ...
    def register_memory_hook(self, fn: Callable[[str, int, int], object]) -> MemoryHookHandle: ...
    def clear_cache(self) -> None: ...
    _counted: Callable[..., Any]
