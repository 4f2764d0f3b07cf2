"""TorchScript of others: in packages, and in files, which say nothing about inputs and outputs."""

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

from .._core import Backend
from .._stubs.types import Arrays, DTypeLike

class TorchScriptModel:
    backend: Backend
    def __init__(self, stored: bytes, where: str, backend: Backend) -> None: ...
    @property
    def data_keys(self) -> list[str]: ...
    @property
    def output_keys(self) -> list[str]: ...
    def evaluate(self, params: Arrays, data: Arrays) -> dict[str, Any]: ...

def save_torchscript_package(
    path: str | PathLike[str],
    module: Any,
    inputs: Sequence[tuple[str, DTypeLike, Sequence[int | str | None]]],
    outputs: Sequence[tuple[str, DTypeLike, Sequence[int | str | None]]],
    *,
    assets: Mapping[str, Any] | Sequence[str | PathLike[str]] = (),
    **texts: str,
) -> None: ...
