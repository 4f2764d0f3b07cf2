"""Loops as parts."""

from collections.abc import Mapping, Sequence

from .._core import Model
from .connection import Connection

def Scan(  # noqa: N802
    body: Model,
    *,
    carry: Mapping[str, str] = ...,
    sequences: Sequence[str] = ...,
    outputs: Sequence[str] = ...,
    axis: int = 0,
    reverse: bool = False,
    length: int | Connection | None = None,
    lengths: str = "",
) -> Model: ...
