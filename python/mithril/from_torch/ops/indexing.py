"""Conversions of indexing and scattering by tensors for `ml.from_torch`."""

from __future__ import annotations

import math
from typing import Any

import torch

from ... import models as ml
from ..._core import Connection
from ..._core import dtype as widths
from ..builders import (
    NodeContext,
    Table,
    along,
    axis_of,
    from_zero,
    internal_op,
    is_bool,
    is_float,
    rank_of,
    refuse_if,
    shape,
    size,
    table,
    tensor,
)
from ..ranges import counted_axis, range_axis
from .creation import as_result, full_tensor
from .shapes import move


def product(sizes: Any) -> Any:
    result: Any = 1
    for length in sizes:
        result = result * length
    return result


def wrapped(index: Connection, count: Any) -> Any:
    """Negative indices count from the end."""
    return ml.Where()(index < 0, index + count, index)


def flat(x: Connection) -> Connection:
    return x.reshape((-1,))


def place_number(indices: list[Connection], sizes: Any) -> Any:
    """The row-major number of each element that the indices name together."""
    number: Any = None
    for index, count in zip(indices, sizes, strict=True):
        place = wrapped(index, count)
        number = place if number is None else number * count + place
    return number


def indexed_axes(indices: Any) -> list[int]:
    return [axis for axis, index in enumerate(indices) if index is not None]


def index(self: Connection, indices: Any, *, at: NodeContext) -> Any:
    axes = indexed_axes(indices)
    named = [indices[axis] for axis in axes]
    refuse_if(any(is_bool(value) for value in named), "by bools, whose number of True is not known")
    count = max(map(rank_of, named))
    lengths = at.inputs[0].shape
    counted = [counted_axis(at.nodes[1][axis], lengths[axis], count) for axis in axes]
    in_order = counted == sorted({axis for axis in counted if axis is not None})
    if len(named) == 1 and not in_order:
        return ml.Gather(axis=axes[0])(self, named[0])
    sizes = [size(self, axis) for axis in axes]
    rest = [shape(self)[axis] for axis in range(rank_of(self)) if axis not in axes]
    front = move(self, axes, list(range(len(axes))))
    if in_order:
        wide = dict(zip(counted, sizes, strict=True))
        found = front.reshape((*(wide.get(axis, 1) for axis in range(count)), *rest))
    elif counted[0] == 0:
        found = within_rows(front, named[1:], sizes, rest, count)
    elif range_axis(at.nodes[1][axes[0]], count) == 0:
        # The axis has another symbol, as the batch of a mask beside that of the tokens.
        numbers = flat(named[0])
        rows = ml.Gather(axis=0)(front, numbers)
        found = within_rows(rows, named[1:], [size(numbers, 0), *sizes[1:]], rest, count)
    else:
        number = place_number(named, sizes)
        found = ml.Gather(axis=0)(front.reshape((product(sizes), *rest)), number)
    together = axes[-1] - axes[0] == len(axes) - 1
    start = axes[0] if together else 0
    return move(found, list(range(count)), list(range(start, start + count))) if start else found


def within_rows(
    front: Connection, named: list[Any], sizes: list[Any], rest: list[Any], count: int
) -> Any:
    """front[arange(n), ...]: the other indices, of rank `count` when they are broadcast, choose
    among the elements of each row."""
    number, length = place_number(named, sizes[1:]), sizes[0]
    chosen = [*(1,) * (count - rank_of(number)), *shape(number)][1:]
    number = ml.BroadcastTo()(input=number, shape=(length, *chosen))
    number = number.reshape((length, product(chosen), *(1,) * len(rest)))
    number = ml.BroadcastTo()(input=number, shape=(length, product(chosen), *rest))
    rows = front.reshape((length, product(sizes[1:]), *rest))
    return ml.TakeAlongAxis(axis=1)(rows, number).reshape((length, *chosen, *rest))


def index_put(
    self: Connection, indices: Any, values: Any, accumulate: bool = False, *, at: NodeContext
) -> Any:
    axes = indexed_axes(indices)
    named = [indices[axis] for axis in axes]
    if any(is_bool(value) for value in named):
        return scatter_where(self, axes, named, values, accumulate)
    rank, count = rank_of(self), max(map(rank_of, named))
    sizes = [size(self, axis) for axis in axes]
    rest = [shape(self)[axis] for axis in range(rank) if axis not in axes]
    first, rows_of_self = at.nodes[1][axes[0]], at.inputs[0].shape[axes[0]]
    covers_rows = counted_axis(first, rows_of_self, count) == 0
    is_first_rows = not isinstance(rows_of_self, int) and range_axis(first, count) == 0
    by_rows = covers_rows or is_first_rows
    within = slice(1 if by_rows else 0, None)
    number = place_number(named[within], sizes[within]) if named[within] else tensor(0)
    chosen = list(shape(number))
    if by_rows:
        length = sizes[0] if covers_rows else size(flat(named[0]), 0)
        chosen = [length, *[*(1,) * (count - len(chosen)), *chosen][1:]]
    together = axes[-1] - axes[0] == len(axes) - 1
    start = axes[0] if together else 0
    wanted = [*rest[:start], *chosen, *rest[start:]]
    values = ml.BroadcastTo()(input=tensor(values), shape=tuple(wanted))
    if start and count:
        values = move(values, list(range(start, start + count)), list(range(count)))
    front = move(self, axes, list(range(len(axes))))
    if not by_rows:
        rows = front.reshape((product(sizes), *rest))
        result = scatter_rows(rows, number, values, 0, accumulate).reshape((*sizes, *rest))
    elif covers_rows:
        result = put_within_rows(front, number, values, [sizes, chosen, rest], accumulate)
    else:
        result = put_in_first_rows(front, number, values, [sizes, chosen, rest], accumulate)
    return move(result, list(range(len(axes))), axes)


def put_within_rows(
    front: Connection, number: Connection, values: Any, parts: list[Any], accumulate: bool
) -> Any:
    """front[arange(n), ...] = values: the numbers of places, of elements of each row."""
    sizes, chosen, rest = parts
    rows = front.reshape((chosen[0], product(sizes[1:]), *rest))
    many = (chosen[0], product(chosen[1:]))
    number = ml.BroadcastTo()(input=number, shape=tuple(chosen)).reshape((*many, *(1,) * len(rest)))
    number = ml.BroadcastTo()(input=number, shape=(*many, *rest))
    reduce = REDUCTIONS["add" if accumulate else None]
    made = scattered_along(rows, 1, number, values.reshape((*many, *rest)), reduce)
    return made.reshape((chosen[0], *sizes[1:], *rest))


def put_in_first_rows(
    front: Connection, number: Connection, values: Any, parts: list[Any], accumulate: bool
) -> Any:
    """The same, where the axis has another symbol than the numbers of its first rows."""
    numbers = ml.Arange()(stop=parts[1][0])

    def spread(rows: Connection) -> Any:
        return internal_op("ScatterAdd", axis=0)(rows, numbers, front)

    made = put_within_rows(ml.Gather(axis=0)(front, numbers), number, values, parts, accumulate)
    is_first = spread(ml.Full(dtype=widths.int64)(shape=tuple(shape(made)), fill_value=1)) > 0
    spread_out = spread(made.cast(widths.int64)).ne(0) if is_bool(made) else spread(made)
    return ml.Where()(is_first, spread_out, front)


def scatter_where(
    x: Connection, axes: list[int], named: list[Any], values: Any, accumulate: bool
) -> Any:
    """x[mask] = values: one for all, or the k-th for the k-th True."""
    refuse_if(len(named) > 1, "by bools and other tensors")
    mask, rank = named[0], rank_of(named[0])
    before, after = axes[0], rank_of(x) - axes[0] - rank
    if isinstance(values, Connection) and rank_of(values) > after:
        refuse_if(before > 0, "several values by bools that are not the first index")
        if (values.dims or [])[0] != 1:
            values = gather_true(values, mask)
    wide = mask.reshape((*(1,) * before, *shape(mask), *(1,) * after))
    return ml.Where()(wide, x + values if accumulate else values, x)


def gather_true(values: Connection, mask: Connection) -> Any:
    """[count, ...] as [mask, ...]: the k-th row where the mask has its k-th True."""
    rest = shape(values)[1:]
    spare = ml.BroadcastTo()(input=tensor(False if is_bool(values) else 0), shape=(1, *rest))
    rows = ml.Concat(axis=0)([values, spare])  # one row, even where nothing is True
    order = ml.Cumsum(axis=0)(flat(mask).cast(widths.int64)) - 1
    order = ml.Where()(flat(mask), order, 0)
    return ml.Gather(axis=0)(rows, order).reshape((*shape(mask), *rest))


def scatter_rows(
    rows: Connection, number: Connection, values: Any, axis: int, accumulate: bool
) -> Any:
    """Values at places along an axis; of several for one place the last one stays."""
    if accumulate:
        return rows + internal_op("ScatterAdd", axis=axis)(values, number, rows)
    at, rank = axis_of(axis, rank_of(rows)), rank_of(rows)
    index = number.reshape((-1, *(1,) * (rank - at - 1)))
    values = values.reshape((*shape(rows)[:at], -1, *shape(rows)[at + 1 :]))
    index = ml.BroadcastTo()(input=index, shape=shape(values))
    if is_bool(values):
        whole = (rows.cast(widths.int64), values.cast(widths.int64))
        return ml.Scatter(axis=at)(whole[0], index, whole[1]).ne(0)
    return ml.Scatter(axis=at)(rows, index, values)


def index_select(self: Connection, dim: int, index: Connection) -> Any:
    if not rank_of(self):
        return self
    index = from_zero(index, size(self, dim))
    return ml.Gather(axis=dim)(self, index if rank_of(index) else index.reshape((1,)))


def index_add(self: Connection, dim: int, index: Connection, source: Any, alpha: Any = 1) -> Any:
    values = source if alpha == 1 else source * alpha
    index = from_zero(index, size(self, dim)) if rank_of(self) else index
    return scatter_rows(self, index, values, dim, True)


def index_copy(self: Connection, dim: int, index: Connection, source: Any) -> Any:
    if not rank_of(self):
        return source
    return scatter_rows(self, from_zero(index, size(self, dim)), source, dim, False)


def index_fill(
    self: Connection, dim: int, index: Connection, value: Any, *, at: NodeContext
) -> Any:
    axis, rank = axis_of(dim, rank_of(self)), rank_of(self)
    places = ml.Arange()(stop=size(self, dim)).reshape((-1, 1))
    hit = places.eq(wrapped(index.reshape((1, -1)), size(self, dim))).cast(widths.int64)
    hit = (hit.sum(1) > 0).reshape((*(1,) * axis, -1, *(1,) * (rank - axis - 1)))
    return ml.Where()(hit, as_result(value, 3, at), self)


def gather(
    self: Connection, dim: int, index: Connection, sparse_grad: bool = False, *, at: NodeContext
) -> Any:
    if 0 in at.output.shape:  # of any rank
        return full_tensor(at.output.shape, 0, at)
    if not rank_of(self):
        return self if not rank_of(index) else self.reshape((1,))
    index = from_zero(index, size(self, dim))
    if not rank_of(index):
        return ml.TakeAlongAxis(axis=dim)(self, index.reshape((1,))).reshape(())
    return ml.TakeAlongAxis(axis=dim)(self, index)


def take(self: Connection, index: Connection) -> Any:
    return ml.Gather(axis=0)(flat(self), index)


def front_of(source: Connection, index: Connection) -> Connection:
    """The part of the source that the index covers."""
    known, wanted = shape(source), shape(index)
    for axis, (have, want) in enumerate(zip(known, wanted, strict=True)):
        if have is not want and have != want:
            source = source[along(axis, slice(None, want))]
    return source


def scattered(x: Connection, dim: int, index: Connection, values: Any, reduce: Any) -> Any:
    if not rank_of(x):
        single = scattered(x.reshape((1,)), 0, index.reshape((1,)), values, reduce)
        return single.reshape(())
    index = from_zero(index, size(x, dim))
    if not isinstance(values, Connection):
        values = ml.Full()(shape=shape(index), fill_value=values)
    values = front_of(values if rank_of(values) else values.reshape((1,)), index)
    return scattered_along(x, dim, index, values, reduce)


def scattered_along(
    x: Connection, dim: int, index: Connection, values: Connection, reduce: Any
) -> Any:
    if is_bool(x):
        x, values = x.cast(widths.int64), values.cast(widths.int64)
        return ml.Scatter(axis=dim, reduce=reduce)(x, index, values).ne(0)
    return ml.Scatter(axis=dim, reduce=reduce)(x, index, values)


def scatter_add(self: Connection, dim: int, index: Connection, src: Any) -> Any:
    return scattered(self, dim, index, src, "add")


REDUCTIONS: dict[Any, str] = {
    **{None: "set", "add": "add", "sum": "add", "mean": "add"},
    **{"multiply": "prod", "prod": "prod", "amax": "amax", "amin": "amin"},
}


def scatter(
    self: Connection, dim: int, index: Connection, src: Any, reduce: Any = None, *, at: NodeContext
) -> Any:
    return scattered(self, dim, index, as_result(src, 3, at), REDUCTIONS[reduce])


def neutral(reduce: str, dtype: torch.dtype) -> Any:
    """The start value of a reduction that leaves out the input."""
    if reduce in {"amax", "amin"}:
        top = math.inf if dtype.is_floating_point else torch.iinfo(dtype).max
        return -top if reduce == "amax" else top
    number = 1 if reduce == "prod" else 0
    return float(number) if dtype.is_floating_point else number


def scatter_reduce(
    self: Connection,
    dim: int,
    index: Connection,
    src: Any,
    reduce: str,
    include_self: bool = True,
    *,
    at: NodeContext,
) -> Any:
    """With include_self=False, places without a written element keep their element of `self`."""
    start: Any = self
    more: Any = 1
    if not include_self or reduce == "mean":
        zeros = ml.ZerosLike()(self).cast(widths.int64)
        ones = ml.Full(dtype=widths.int64)(shape=shape(index), fill_value=1)
        count = scattered(zeros, dim, index, ones, "add")
        if not include_self:
            start = ml.Where()(count > 0, neutral(reduce, at.output.dtype), self)
            more = count.eq(0).cast(widths.int64)
    result = scattered(start, dim, index, src, REDUCTIONS[reduce])
    if reduce != "mean":
        return result
    return result / (count + more) if is_float(self) else result // (count + more)


def masked_scatter(self: Connection, mask: Connection, source: Connection) -> Any:
    """The k-th True takes element k of the source."""
    mask = ml.BroadcastTo()(input=mask, shape=shape(self))
    return ml.Where()(mask, gather_true(flat(source), mask), self)


def one_hot(self: Connection, num_classes: int = -1) -> Any:
    refuse_if(num_classes < 0, "without num_classes")
    hit = ml.ExpandDims(axis=-1)(self).eq(ml.Arange()(stop=num_classes))
    return hit.cast(widths.int64)


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
    (one_hot, "one_hot"),
)
