"""Conversions of indexing and scattering by tensors for `ml.from_torch`."""

from __future__ import annotations

from typing import Any

from . import models as ml
from ._core import Connection
from ._core import dtype as widths
from .from_torch_shapes import move
from .from_torch_table import (
    Site,
    Table,
    along,
    axis_of,
    internal,
    is_bool,
    is_float,
    rank_of,
    refuse_if,
    shape,
    size,
    table,
    tensor,
)


def product(sizes: Any) -> Any:
    result: Any = 1
    for each in sizes:
        result = result * each
    return result


def wrapped(index: Connection, count: Any) -> Any:
    """Negative indices count from the end."""
    return ml.Where()(index < 0, index + count, index)


def flat(x: Connection) -> Connection:
    return x.reshape((-1,))


def zero_of(x: Any) -> Any:
    return False if is_bool(x) else 0.0 if is_float(x) else 0


def place_number(indices: list[Connection], sizes: Any) -> Any:
    """Of each element that the indices name together: its number in row-major order."""
    number: Any = None
    for index, count in zip(indices, sizes, strict=True):
        place = wrapped(index, count)
        number = place if number is None else number * count + place
    return number


# ---- x[i], x[i, j] ----


def indexed_axes(indices: Any) -> list[int]:
    return [axis for axis, each in enumerate(indices) if each is not None]


def index(self: Connection, indices: Any) -> Any:
    axes = indexed_axes(indices)
    named = [indices[axis] for axis in axes]
    refuse_if(any(is_bool(each) for each in named), "by bools, whose number of True is not known")
    if len(named) == 1:
        return ml.Gather(axis=axes[0])(self, named[0])
    sizes = [size(self, axis) for axis in axes]
    rest = [shape(self)[axis] for axis in range(rank_of(self)) if axis not in axes]
    front = move(self, axes, list(range(len(axes))))
    number = place_number(named, sizes)
    found = ml.Gather(axis=0)(front.reshape((product(sizes), *rest)), number)
    together = axes[-1] - axes[0] == len(axes) - 1
    count = rank_of(number)
    if not together or axes[0] == 0 or not count:
        return found
    return move(found, list(range(count)), list(range(axes[0], axes[0] + count)))


def index_put(self: Connection, indices: Any, values: Any, accumulate: bool = False) -> Any:
    axes = indexed_axes(indices)
    named = [indices[axis] for axis in axes]
    if any(is_bool(each) for each in named):
        return put_where(self, axes, named, values, accumulate)
    rank = rank_of(self)
    sizes = [size(self, axis) for axis in axes]
    rest = [shape(self)[axis] for axis in range(rank) if axis not in axes]
    number = place_number(named, sizes)
    count = rank_of(number)
    together = axes[-1] - axes[0] == len(axes) - 1
    start = axes[0] if together else 0
    wanted = [*rest[:start], *shape(number), *rest[start:]]
    values = ml.BroadcastTo()(input=tensor(values), shape=tuple(wanted))
    if start and count:
        values = move(values, list(range(start, start + count)), list(range(count)))
    front = move(self, axes, list(range(len(axes))))
    rows = front.reshape((product(sizes), *rest))
    result = put(rows, number, values, 0, accumulate).reshape((*sizes, *rest))
    return move(result, list(range(len(axes))), axes)


def put_where(
    x: Connection, axes: list[int], named: list[Any], values: Any, accumulate: bool
) -> Any:
    """x[mask] = value, for one value."""
    refuse_if(len(named) > 1, "by bools and other tensors")
    refuse_if(isinstance(values, Connection) and rank_of(values) > 0, "several values by bools")
    mask = named[0]
    before, after = axes[0], rank_of(x) - axes[0] - rank_of(mask)
    mask = mask.reshape((*(1,) * before, *shape(mask), *(1,) * after))
    return ml.Where()(mask, x + values if accumulate else values, x)


def put(rows: Connection, number: Connection, values: Any, axis: int, accumulate: bool) -> Any:
    """Values at places along an axis; which of several for one place, torch leaves open."""
    if accumulate:
        return rows + internal("ScatterAdd", axis=axis)(values, number, rows)
    ones = ml.Full(dtype=widths.int64)(shape=shape(values), fill_value=1)
    count = internal("ScatterAdd", axis=axis)(ones, number, rows)
    if is_bool(values):
        values = values.cast(widths.int64)
        total = internal("ScatterAdd", axis=axis)(values, number, rows) > 0
    else:
        total = internal("ScatterAdd", axis=axis)(values, number, rows)
    return ml.Where()(count > 0, total, rows)


# ---- along one axis ----


def index_select(self: Connection, dim: int, index: Connection) -> Any:
    if not rank_of(self):
        return self
    return ml.Gather(axis=dim)(self, index if rank_of(index) else index.reshape((1,)))


def index_add(self: Connection, dim: int, index: Connection, source: Any, alpha: Any = 1) -> Any:
    values = source if alpha == 1 else source * alpha
    return put(self, index, values, dim, True)


def index_copy(self: Connection, dim: int, index: Connection, source: Any) -> Any:
    return put(self, index, source, dim, False)


def index_fill(self: Connection, dim: int, index: Connection, value: Any) -> Any:
    at, rank = axis_of(dim, rank_of(self)), rank_of(self)
    places = ml.Arange()(stop=size(self, dim)).reshape((-1, 1))
    hit = places.eq(wrapped(index.reshape((1, -1)), size(self, dim))).cast(widths.int64)
    hit = (hit.sum(1) > 0).reshape((*(1,) * at, -1, *(1,) * (rank - at - 1)))
    return ml.Where()(hit, value, self)


def numbers_along(x: Connection, dim: int, index: Connection) -> Any:
    """Of torch.gather: the number of each element in row-major order."""
    rank, at = rank_of(x), axis_of(dim, rank_of(x))
    number: Any = None
    for axis, count in enumerate(shape(x)):
        if axis == at:
            place: Any = wrapped(index, count)
        else:
            lead, tail = (1,) * axis, (1,) * (rank - axis - 1)
            place = ml.Arange()(stop=size(index, axis)).reshape((*lead, -1, *tail))
        number = place if number is None else number * count + place
    return number


def gather(self: Connection, dim: int, index: Connection, sparse_grad: bool = False) -> Any:
    if not rank_of(self):
        return self
    if not rank_of(index):
        index = index.reshape((1,))
    return ml.Gather(axis=0)(flat(self), numbers_along(self, dim, index))


def take(self: Connection, index: Connection) -> Any:
    return ml.Gather(axis=0)(flat(self), index)


def front_of(source: Connection, index: Connection) -> Connection:
    """The part of the source that the index covers."""
    known, wanted = shape(source), shape(index)
    for axis, (have, want) in enumerate(zip(known, wanted, strict=True)):
        if have is not want and have != want:
            source = source[along(axis, slice(None, want))]
    return source


def scattered(x: Connection, dim: int, index: Connection, values: Any, accumulate: bool) -> Any:
    if not rank_of(x):
        return x + values if accumulate else tensor(values)
    if not isinstance(values, Connection):
        values = ml.Full()(shape=shape(index), fill_value=values)
    number = numbers_along(x, dim, index)
    placed = put(flat(x), number, values, 0, accumulate)
    return placed.reshape(shape(x))


def scatter_add(self: Connection, dim: int, index: Connection, src: Any) -> Any:
    return scattered(self, dim, index, front_of(src, index), True)


def scatter(
    self: Connection, dim: int, index: Connection, src: Any, reduce: Any = None, *, at: Site
) -> Any:
    refuse_if(reduce not in (None, "add"), f"with reduce={reduce!r}")
    values = front_of(src, index) if isinstance(src, Connection) else src
    if not isinstance(values, Connection):
        floats = at.output.dtype.is_floating_point
        values = float(values) if floats else bool(values) if is_bool(self) else int(values)
    return scattered(self, dim, index, values, reduce == "add")


def scatter_reduce(
    self: Connection,
    dim: int,
    index: Connection,
    src: Any,
    reduce: str,
    include_self: bool = True,
) -> Any:
    """Sums and means; with include_self=False places that nothing is written to stay."""
    refuse_if(reduce not in {"sum", "mean"}, f"with reduce={reduce!r}")
    values, number = front_of(src, index), numbers_along(self, dim, index)
    rows = flat(self)
    total = internal("ScatterAdd", axis=0)(values, number, rows)
    ones = ml.Full(dtype=widths.int64)(shape=shape(values), fill_value=1)
    count = internal("ScatterAdd", axis=0)(ones, number, rows)
    kept = rows if include_self else ml.Where()(count > 0, zero_of(self), rows)
    result = kept + total
    if reduce == "mean":
        more = 1 if include_self else ml.Where()(count > 0, 0, 1)
        result = result / (count + more) if is_float(self) else result // (count + more)
    return result.reshape(shape(self))


def masked_scatter(self: Connection, mask: Connection, source: Connection) -> Any:
    """The k-th True takes element k of the source."""
    mask = ml.BroadcastTo()(input=mask, shape=shape(self))
    rank = ml.Cumsum(axis=0)(flat(mask).cast(widths.int64)) - 1
    rank = ml.Where()(flat(mask), rank, 0)
    found = ml.Gather(axis=0)(flat(source), rank).reshape(shape(self))
    return ml.Where()(mask, found, self)


# ---- parts that are written to ----


def select_scatter(self: Connection, src: Connection, dim: int, index: Any) -> Any:
    at, rank = axis_of(dim, rank_of(self)), rank_of(self)
    count = size(self, dim)
    where = index + count if isinstance(index, int) and index < 0 else index
    hit = ml.Arange()(stop=count).eq(where).reshape((-1, *(1,) * (rank - at - 1)))
    return ml.Where()(hit, ml.ExpandDims(axis=at)(src), self)


def slice_scatter(
    self: Connection,
    src: Connection,
    dim: int = 0,
    start: Any = None,
    end: Any = None,
    step: int = 1,
) -> Any:
    """Each place takes the element of the source that the slice puts there."""
    at, rank = axis_of(dim, rank_of(self)), rank_of(self)
    count = size(self, dim)
    places = ml.Arange()(stop=count)
    inside = places[along(0, slice(start, None if end is None or end == 2**63 - 1 else end, step))]
    zeros = internal("FillLike", number=0)(places)
    order = ml.Arange()(stop=size(src, dim))
    number = internal("ScatterAdd", axis=0)(order, inside, zeros)
    ones = internal("FillLike", number=1)(order)
    hit = internal("ScatterAdd", axis=0)(ones, inside, zeros) > 0
    if src.dims is not None and src.dims[dim] == 0:
        return self
    found = ml.Gather(axis=at)(src, number)
    return ml.Where()(hit.reshape((-1, *(1,) * (rank - at - 1))), found, self)


def diagonal(self: Connection, offset: int = 0, dim1: int = 0, dim2: int = 1, *, at: Site) -> Any:
    last = move(self, [dim1, dim2], [-2, -1])
    count = at.output.shape[-1]
    refuse_if(not isinstance(count, int), "of an open size")
    columns = size(last, -1)
    start = offset if offset >= 0 else -offset * columns
    places = ml.Arange()(stop=count) * (columns + 1) + start
    rows = last.reshape((*shape(last)[:-2], size(last, -2) * columns))
    return ml.Gather(axis=-1)(rows, places)


def unfold(self: Connection, dimension: int, size: int, step: int, *, at: Site) -> Any:
    """Windows along an axis, each as a new last axis."""
    if not rank_of(self):
        return self.reshape((size,))
    axis = axis_of(dimension, rank_of(self))
    starts = ml.Arange()(stop=at_count(self, axis, size, step)) * step
    places = starts.reshape((-1, 1)) + ml.Arange()(stop=size)
    return move(ml.Gather(axis=axis)(self, places), axis + 1, -1)


def at_count(x: Connection, axis: int, window: int, step: int) -> Any:
    return (size(x, axis) - window) // step + 1


def one_hot(self: Connection, num_classes: int = -1) -> Any:
    refuse_if(num_classes < 0, "without num_classes")
    hit = ml.ExpandDims(axis=-1)(self).eq(ml.Arange()(stop=num_classes))
    return hit.cast(widths.int64)


def searchsorted(
    sorted_sequence: Connection,
    self: Any,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    sorter: Any = None,
) -> Any:
    """The number of elements below: as many comparisons as both have elements."""
    refuse_if(sorter is not None, "with sorter")
    value = ml.ExpandDims(axis=-1)(tensor(self))
    sequence = sorted_sequence
    if rank_of(sequence) > 1:
        sequence = ml.ExpandDims(axis=-2)(sequence)
    below = sequence <= value if right or side == "right" else sequence < value
    total = below.cast(widths.int64).sum(-1)
    return total.cast(widths.int32) if out_int32 else total


def bucketize(
    self: Any, boundaries: Connection, out_int32: bool = False, right: bool = False
) -> Any:
    return searchsorted(boundaries, self, out_int32, right)


TABLE: Table = table(
    (index, "index"),
    (index_put, "index_put"),
    (index_select, "index_select"),
    (index_add, "index_add"),
    (index_copy, "index_copy"),
    (index_fill, "index_fill"),
    (gather, "gather"),
    (take, "take"),
    (scatter_add, "scatter_add"),
    (scatter, "scatter"),
    (scatter_reduce, "scatter_reduce"),
    (masked_scatter, "masked_scatter"),
    (select_scatter, "select_scatter"),
    (slice_scatter, "slice_scatter"),
    (diagonal, "diagonal"),
    (unfold, "unfold"),
    (one_hot, "one_hot"),
    (searchsorted, "searchsorted"),
    (bucketize, "bucketize"),
)
