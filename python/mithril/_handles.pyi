"""Small types of the compiled module."""

import enum
from collections.abc import Sequence
from typing import Any

from ._core import CompiledModel

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
        self, params: Any, data: Any, rank: int, seed: int, kind: str, state: Any
    ) -> tuple[Any, list[tuple[str, int, int, int]]]: ...
    def explain(self) -> str: ...
    def verify(self, params: Any, data: Any, state: Any, tolerance: float | None) -> None: ...
    def write_source(self, path: Any, data: Any, validation: Any, pairs: bool) -> None: ...
    def dots_module(self, data: Any, validation: Any, validation_reduction: str) -> str: ...
