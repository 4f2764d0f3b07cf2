"""A model over a new axis."""

from collections.abc import Mapping, Sequence

from .._core import Model

def vmap(
    model: Model,
    in_axes: Mapping[str, int] | None = None,
    out_axes: Mapping[str, int] | int = 0,
    params: str | Sequence[str] | None = None,
    *,
    size: int | None = None,
) -> Model: ...
