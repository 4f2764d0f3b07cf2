"""Small types of the compiled module."""

import enum
from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from types import EllipsisType
from typing import Any, NoReturn, TypedDict

from .._core import CompiledModel, Model
from .types import PortType, Shape, Value

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
    uint16 = 10
    uint32 = 11
    uint64 = 12
    float8_e4m3fn = 13
    float8_e4m3fnuz = 14
    float8_e5m2 = 15
    float8_e5m2fnuz = 16
    float8_e8m0fnu = 17
    float4_e2m1fn = 18
    int4 = 19
    uint4 = 20
    int2 = 21
    uint2 = 22
    @property
    def size(self) -> int: ...

class Part:
    @property
    def name(self) -> str: ...
    @property
    def path(self) -> str: ...
    @property
    def class_name(self) -> str: ...
    @property
    def options(self) -> dict[str, Any]: ...
    @property
    def inputs(self) -> list[str]: ...
    @property
    def outputs(self) -> list[str]: ...
    @property
    def shapes(self) -> dict[str, list[int | str | EllipsisType | None]]: ...
    @property
    def parts(self) -> dict[str, Part]: ...
    @property
    def model(self) -> Model: ...

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

class Sharded:
    def __init__(self, axis: int = 0) -> None: ...
    @property
    def axis(self) -> int: ...

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

class _ViewOptions(TypedDict, total=False):
    shapes: Mapping[str, Shape]
    gradients: bool
    passes: bool
    measured: Mapping[str, Mapping[str, float]]
    title: str

class View:
    @property
    def page(self) -> str: ...
    def _repr_html_(self) -> str: ...
    def save(self, path: str | PathLike[str]) -> None: ...
