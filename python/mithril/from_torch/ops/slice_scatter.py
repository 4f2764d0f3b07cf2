"""A tensor with one of its slices replaced."""

from __future__ import annotations

from typing import Any

from ... import models as ml
from ..._core import Connection
from ..builders import (
    NodeContext,
    Table,
    along,
    axis_of,
    internal_op,
    rank_of,
    size,
    table,
)
from .creation import as_result


def select_scatter(
    self: Connection, src: Connection, dim: int, index: Any, *, at: NodeContext
) -> Any:
    src = as_result(src, 1, at)
    axis, rank = axis_of(dim, rank_of(self)), rank_of(self)
    count = size(self, dim)
    where = index + count if isinstance(index, int) and index < 0 else index
    hit = ml.Arange()(stop=count).eq(where).reshape((-1, *(1,) * (rank - axis - 1)))
    return ml.Where()(hit, ml.ExpandDims(axis=axis)(src), self)


def slice_scatter(
    self: Connection,
    src: Connection,
    dim: int = 0,
    start: Any = None,
    end: Any = None,
    step: int = 1,
    *,
    at: NodeContext,
) -> Any:
    """Each place takes the element of the source that the slice puts there."""
    src = as_result(src, 1, at)
    if not isinstance(start, Connection) and not start and end in (None, 2**63 - 1) and step == 1:
        return src
    axis, rank = axis_of(dim, rank_of(self)), rank_of(self)
    count = size(self, dim)
    places = ml.Arange()(stop=count)
    inside = places[along(0, slice(start, None if end is None or end == 2**63 - 1 else end, step))]
    zeros = internal_op("FillLike", number=0)(places)
    order = ml.Arange()(stop=size(src, dim))
    number = internal_op("ScatterAdd", axis=0)(order, inside, zeros)
    ones = internal_op("FillLike", number=1)(order)
    hit = internal_op("ScatterAdd", axis=0)(ones, inside, zeros) > 0
    if src.dims is not None and src.dims[dim] == 0:
        return self
    found = ml.Gather(axis=axis)(src, number)
    return ml.Where()(hit.reshape((-1, *(1,) * (rank - axis - 1))), found, self)


TABLE: Table = table(
    (select_scatter, "select_scatter"),
    (slice_scatter, "slice_scatter"),
)
