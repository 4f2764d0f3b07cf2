"""Conversions of diagonals and windows for `ml.from_torch`."""

from __future__ import annotations

from typing import Any

from ... import models as ml
from ..._core import Connection
from ..builders import NodeContext, Table, axis_of, rank_of, refuse_if, shape, size, table
from .creation import as_result
from .indexing import scatter_rows
from .shapes import move


def diagonal(
    self: Connection, offset: int = 0, dim1: int = 0, dim2: int = 1, *, at: NodeContext
) -> Any:
    last = move(self, [dim1, dim2], [-2, -1])
    count = at.output.shape[-1]
    refuse_if(not isinstance(count, int), "of an open size")
    columns = size(last, -1)
    start = offset if offset >= 0 else -offset * columns
    places = ml.Arange()(stop=count) * (columns + 1) + start
    rows = last.reshape((*shape(last)[:-2], size(last, -2) * columns))
    return ml.Gather(axis=-1)(rows, places)


def diagonal_scatter(
    self: Connection,
    src: Connection,
    offset: int = 0,
    dim1: int = 0,
    dim2: int = 1,
    *,
    at: NodeContext,
) -> Any:
    src = as_result(src, 1, at)
    last = move(self, [dim1, dim2], [-2, -1])
    count = at.inputs[1].shape[-1]
    refuse_if(not isinstance(count, int), "of an open size")
    columns = size(last, -1)
    start = offset if offset >= 0 else -offset * columns
    places = ml.Arange()(stop=count) * (columns + 1) + start
    rows = last.reshape((*shape(last)[:-2], size(last, -2) * columns))
    return move(
        scatter_rows(rows, places, src, -1, False).reshape(shape(last)), [-2, -1], [dim1, dim2]
    )


def unfold(self: Connection, dimension: int, size: int, step: int, *, at: NodeContext) -> Any:
    """Windows along an axis, each as a new last axis."""
    if not rank_of(self):
        return self.reshape((size,))
    axis = axis_of(dimension, rank_of(self))
    starts = ml.Arange()(stop=at_count(self, axis, size, step)) * step
    places = starts.reshape((-1, 1)) + ml.Arange()(stop=size)
    return move(ml.Gather(axis=axis)(self, places), axis + 1, -1)


def at_count(x: Connection, axis: int, window: int, step: int) -> Any:
    return (size(x, axis) - window) // step + 1


TABLE: Table = table(
    (diagonal, "diagonal"),
    (diagonal_scatter, "diagonal_scatter"),
    (unfold, "unfold"),
)
