"""Shared libraries of compiled models, with the C interface of mithril.h."""

from os import PathLike
from pathlib import Path

from .._core import CompiledModel
from .._stubs.types import Arrays

def build_library(
    compiled: CompiledModel,
    path: str | PathLike[str],
    params: Arrays | None = None,
    *,
    data: Arrays | None = None,
    compiler: str | None = None,
    march: str = "native",
) -> Path: ...
