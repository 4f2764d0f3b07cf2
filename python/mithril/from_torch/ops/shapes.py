"""Conversions of shapes, pieces and repetition and of new tensors for `ml.from_torch`."""

from __future__ import annotations

import sys
from typing import Any

import torch

from ... import models as ml
from ..._core import Connection
from ..builders import (
    Builder,
    NodeContext,
    Table,
    along,
    axis_of,
    constant_of,
    converted,
    internal_op,
    is_float,
    rank_of,
    refuse_if,
    shape,
    size,
    table,
)

# The same elements in another shape.


def reshape(self: Connection, size: Any) -> Any:
    return self.reshape(tuple(size))


def flatten(
    self: Connection, start_dim: int = 0, end_dim: int = -1, name: str | None = None
) -> Any:
    return ml.Flatten(start_dim=start_dim, end_dim=end_dim, name=name)(self)


def unflatten(self: Connection, dim: int, sizes: Any) -> Any:
    at = axis_of(dim, rank_of(self))
    return self.reshape((*shape(self)[:at], *sizes, *shape(self)[at + 1 :]))


def permute(self: Connection, dims: Any) -> Any:
    return self.transpose(tuple(dims)) if rank_of(self) else self


def swap(self: Connection, dim0: int, dim1: int) -> Any:
    return ml.SwapAxes(axis1=dim0, axis2=dim1)(self) if rank_of(self) else self


def move(self: Connection, source: Any, destination: Any) -> Any:
    rank = rank_of(self)
    pairs = ([source], [destination]) if isinstance(source, int) else (source, destination)
    places = {axis_of(to, rank): axis_of(of, rank) for of, to in zip(*pairs, strict=True)}
    others = iter([axis for axis in range(rank) if axis not in places.values()])
    return permute(self, [places[to] if to in places else next(others) for to in range(rank)])


def reversed_axes(self: Connection) -> Any:
    return permute(self, range(rank_of(self))[::-1])


def last_two(self: Connection) -> Any:
    return swap(self, -1, -2)


def unsqueeze(self: Connection, dim: int) -> Any:
    return ml.ExpandDims(axis=dim)(self)


def squeeze(self: Connection, dim: Any = None, *, at: NodeContext) -> Any:
    """Torch leaves axes whose size is not 1."""
    sizes = at.inputs[0].shape
    named = range(len(sizes)) if dim is None else [dim] if isinstance(dim, int) else dim
    gone = tuple(axis for axis in named if sizes and sizes[axis] == 1)
    return ml.Squeeze(axis=gone)(self) if gone else self


def expand(self: Connection, size: Any, implicit: bool = False) -> Any:
    """-1 keeps the size of an axis, counted from the last."""
    known = shape(self)
    kept = [
        known[i - len(size)] if isinstance(length, int) and length == -1 else length
        for i, length in enumerate(size)
    ]
    return ml.BroadcastTo()(input=self, shape=tuple(kept))


def bound(value: Any) -> Any:
    """The bound of a slice. Torch writes the largest int for None."""
    return None if isinstance(value, int) and value == sys.maxsize else value


def piece(self: Connection, dim: int = 0, start: Any = None, end: Any = None, step: int = 1) -> Any:
    start = None if isinstance(start, int) and start == 0 else start
    if start is None and bound(end) is None and step == 1:
        return self
    return self[along(dim, slice(start, bound(end), None if step == 1 else step))]


def select(self: Connection, dim: int, index: Any) -> Any:
    return self[along(dim, index)]


def narrow(self: Connection, dim: int, start: Any, length: Any) -> Any:
    return self[along(dim, slice(start, start + length))]


def split(self: Connection, split_size: Any, dim: int = 0, *, at: NodeContext) -> Any:
    if isinstance(split_size, list | tuple):
        if all(isinstance(size, int) for size in split_size):
            parts = ml.PrimitiveSplit(sizes=tuple(split_size), axis=dim)(self)
            return parts if isinstance(parts, tuple) else (parts,)
        return by_bounds(self, split_size, dim)
    return tuple(
        self[along(dim, slice(i * split_size, (i + 1) * split_size))] for i in range(len(at.output))
    )


def by_bounds(x: Connection, sizes: Any, dim: int) -> Any:
    start: Any = 0
    parts = []
    for length in sizes:
        parts.append(x[along(dim, slice(start, start + length))])
        start = start + length
    return tuple(parts)


def chunk(self: Connection, chunks: int, dim: int = 0, *, at: NodeContext) -> Any:
    chunk_size = (size(self, dim) + (chunks - 1)) // chunks
    return split(self, chunk_size, dim, at=at)


def unbind(self: Connection, dim: int = 0, *, at: NodeContext) -> Any:
    return tuple(self[along(dim, i)] for i in range(len(at.output)))


def cat(tensors: Any, dim: int = 0, *, at: NodeContext) -> Any:
    """Concatenates tensors except those of shape [0], which torch skips."""
    given = [
        converted(tensor, meta.dtype, at.output.dtype, at.main) if is_float(tensor) else tensor
        for tensor, meta in zip(tensors, at.inputs[0], strict=True)
        if not (list(meta.shape) == [0] and at.output.dim() > 1)
    ]
    return ml.Concat(axis=dim)(given) if len(given) > 1 else given[0]


def stack(tensors: Any, dim: int = 0) -> Any:
    return ml.Concat(axis=dim)([unsqueeze(tensor, dim) for tensor in tensors])


def flip(self: Connection, dims: Any) -> Any:
    return ml.Flip(axis=tuple(dims))(self) if rank_of(self) and dims else self


def roll(self: Connection, shifts: Any, dims: Any = ()) -> Any:
    if not dims:
        return ml.Roll(shift=shifts[0])(self)
    return ml.Roll(shift=tuple(shifts), axis=tuple(dims))(self)


def repeat(self: Connection, repeats: Any) -> Any:
    return ml.Tile()(self, tuple(repeats))


def repeat_interleave(
    self: Connection, repeats: Any, dim: int | None = None, output_size: Any = None
) -> Any:
    """`repeats` is an int."""
    return ml.Repeat(axis=dim)(self, repeats)


def repeat_each(
    self: Connection,
    repeats: Connection,
    dim: int | None = None,
    output_size: Any = None,
    *,
    at: NodeContext,
) -> Any:
    """Repeats by a tensor, whose sum is the size of the result."""
    known = at.constant(1)
    if known is not None and known.numel() == 1:
        return repeat_interleave(self, int(known), dim)
    refuse_if(at.inputs[1].numel() == 1, "by a tensor of one element that is computed")
    if output_size is None and known is not None:
        output_size = int(known.sum())
    refuse_if(
        output_size is None,
        "by a tensor that is computed: write x.repeat_interleave(repeats, dim, output_size=n), "
        "where n is the sum of repeats",
    )
    return ml.RepeatInterleave(axis=dim)(self, repeats, output_size=output_size)


def triangle(lower: bool) -> Builder:
    """tril and triu: zeros above or below a diagonal."""

    def build(self: Connection, diagonal: int = 0) -> Any:
        rows = unsqueeze(ml.Arange()(stop=size(self, -2)), -1)
        columns = ml.Arange()(stop=size(self, -1))
        kept = columns - rows <= diagonal if lower else columns - rows >= diagonal
        return ml.Where()(kept, self, 0.0 if is_float(self) else 0)

    return build


def channel_shuffle(self: Connection, groups: int) -> Any:
    count, channels, *rest = shape(self)
    apart = self.reshape((count, groups, channels // groups, *rest))
    return swap(apart, 1, 2).reshape((count, channels, *rest))


def pixel_shuffle(self: Connection, upscale_factor: int) -> Any:
    *front, channels, height, width = shape(self)
    r, kept = upscale_factor, channels // upscale_factor**2
    apart = self.reshape((-1, kept, r, r, height, width)).transpose((0, 1, 4, 2, 5, 3))
    return apart.reshape((*front, kept, height * r, width * r))


def pixel_unshuffle(self: Connection, downscale_factor: int) -> Any:
    *front, channels, height, width = shape(self)
    r = downscale_factor
    apart = self.reshape((-1, channels, height // r, r, width // r, r))
    return apart.transpose((0, 1, 3, 5, 2, 4)).reshape(
        (*front, channels * r * r, height // r, width // r)
    )


def meshgrid(tensors: Any, indexing: str = "ij") -> Any:
    order = list(tensors)
    refuse_if(indexing != "ij" and len(order) > 2, "of more than two tensors in the order 'xy'")
    rows = order[::-1] if indexing == "xy" else order
    sizes = [size(row, 0) if rank_of(row) else 1 for row in rows]
    grids = [
        ml.BroadcastTo()(
            input=row.reshape((*(1,) * i, -1, *(1,) * (len(rows) - 1 - i))), shape=tuple(sizes)
        )
        for i, row in enumerate(rows)
    ]
    return tuple(grids[::-1] if indexing == "xy" else grids)


def as_strided(
    self: Connection, size: Any, stride: Any, storage_offset: Any = None, *, at: NodeContext
) -> Any:
    """Elements of the input, which is dense, at places counted in steps of the strides."""
    numbers = [*size, *stride, storage_offset or 0]
    refuse_if(any(isinstance(number, Connection) for number in numbers), "of open sizes")
    places = torch.zeros(list(size), dtype=torch.int64) + (storage_offset or 0)
    for i, (count, step) in enumerate(zip(size, stride, strict=True)):
        places += (torch.arange(count) * step).reshape((-1, *(1,) * (len(size) - 1 - i)))
    if torch.equal(places.flatten(), torch.arange(at.inputs[0].numel())):
        return self.reshape(tuple(size))
    return ml.Gather(axis=0)(self.reshape((-1,)), constant_of(places))


TABLE: Table = table(
    (reshape, "view", "reshape", "_unsafe_view"),
    (lambda self, other: internal_op("ReshapeLike")(self, other), "view_as", "reshape_as"),
    (flatten, "flatten"),
    (unflatten, "unflatten"),
    (permute, "permute"),
    (swap, "transpose", "swapaxes", "swapdims"),
    (move, "movedim", "moveaxis"),
    (lambda self: swap(self, 0, 1) if rank_of(self) > 1 else self, "t"),
    (reversed_axes, "numpy_T"),
    (last_two, "mT"),
    (unsqueeze, "unsqueeze"),
    (squeeze, "squeeze"),
    (expand, "expand"),
    (lambda self, other: internal_op("ExpandLike")(self, other), "expand_as"),
    (piece, "slice.Tensor"),
    (select, "select.int"),
    (narrow, "narrow"),
    (split, "split", "split_with_sizes"),
    (chunk, "chunk"),
    (unbind, "unbind"),
    (cat, "cat", "concat", "concatenate"),
    (stack, "stack"),
    (flip, "flip"),
    (roll, "roll"),
    (repeat, "repeat", "tile"),
    (repeat_interleave, "repeat_interleave.self_int"),
    (repeat_each, "repeat_interleave.self_Tensor"),
    (triangle(lower=True), "tril"),
    (triangle(lower=False), "triu"),
    (channel_shuffle, "channel_shuffle"),
    (pixel_shuffle, "pixel_shuffle"),
    (pixel_unshuffle, "pixel_unshuffle"),
    (meshgrid, "meshgrid"),
    (as_strided, "as_strided"),
)
