"""Loops and choices as parts."""

from collections.abc import Mapping, Sequence

from .._core import Model
from .connection import Connection

def Cond(condition: str | Model, then: Model, otherwise: Model) -> Model: ...  # noqa: N802
def While(  # noqa: N802
    condition: Model,
    body: Model,
    *,
    carry: Mapping[str, str] = ...,
    max_steps: int | None = None,
) -> Model: ...
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
