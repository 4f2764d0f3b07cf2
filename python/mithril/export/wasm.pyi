"""WebAssembly packages of compiled models."""

from os import PathLike
from pathlib import Path

from .._core import CompiledModel
from .._stubs.types import Arrays

def to_wasm(
    compiled: CompiledModel,
    folder: str | PathLike[str],
    *,
    data: Arrays | None = None,
    compiler: str | None = None,
) -> Path: ...
