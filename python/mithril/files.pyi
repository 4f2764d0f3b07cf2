"""Files of tensors: checkpoints, and the formats of other libraries."""

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any, Literal, NamedTuple, overload

from ._core import Model, Optimizer, TrainingStep, dtype
from ._stubs.types import Arrays
from .training.grad_scaler import GradScaler

class Checkpoint(NamedTuple):
    params: dict[str, Any]
    model: Model | None
    optimizer: dict[str, Any]
    state: dict[str, Any]
    scaler: dict[str, Any]
    metadata: dict[str, str]

class WeightReport(NamedTuple):
    missing: list[str]
    unexpected: list[str]
    tied: list[str]
    casts: dict[str, tuple[dtype, dtype]]

class WeightSource:
    def __init__(
        self,
        names: str | Sequence[str] | WeightSource,
        *,
        transpose: bool = False,
        axis: int = 0,
        part: int = 0,
        parts: int = 1,
    ) -> None: ...
    @property
    def names(self) -> list[str]: ...
    @property
    def transpose(self) -> bool: ...
    @property
    def axis(self) -> int: ...
    @property
    def part(self) -> int: ...
    @property
    def parts(self) -> int: ...

def save(
    path: str | PathLike[str],
    params: Arrays,
    model: Model | None = None,
    optimizer: Optimizer | None = None,
    step: TrainingStep | Arrays | None = None,
    scaler: GradScaler | None = None,
    metadata: Mapping[str, str] | None = None,
) -> None: ...
def load_checkpoint(path: str | PathLike[str]) -> Checkpoint: ...
def save_safetensors(
    path: str | PathLike[str],
    tensors: Mapping[str, Any],
    *,
    metadata: Mapping[str, str] | None = None,
    max_shard_bytes: int | None = None,
    types: Mapping[str, str] | None = None,
) -> str: ...
@overload
def load_safetensors(
    path: str | PathLike[str], *, return_metadata: Literal[False] = False
) -> dict[str, Any]: ...
@overload
def load_safetensors(
    path: str | PathLike[str], *, return_metadata: Literal[True]
) -> tuple[dict[str, Any], dict[str, str]]: ...
def with_prefix(tensors: Mapping[str, Any], prefix: str) -> dict[str, Any]: ...
def without_prefix(tensors: Mapping[str, Any], prefix: str) -> dict[str, Any]: ...
