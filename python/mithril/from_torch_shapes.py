"""What `ml.from_torch` makes of shapes, indexing, and tensors made anew."""

from __future__ import annotations

import operator
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812 - as everyone writes it

from . import models as ml
from ._core import Connection
from .from_torch_table import (
    Table,
    UnsupportedError,
    along,
    as_tuple,
    internal,
    rank_of,
    refuse_if,
    table,
)

ANY_DEVICE = object()  # x.device: where a model runs is its backend's affair


class Slices:
    """What split and unbind give: as many as are asked for, since the size may not be known."""

    def __init__(self, at: Any) -> None:
        self._at = at

    def __getitem__(self, index: int) -> Any:
        refuse_if(
            not isinstance(index, int) or index < 0, "parts that are not asked for one by one"
        )
        return self._at(index)

    def __iter__(self) -> Any:
        raise UnsupportedError("all parts at once, whose number is not known")


# ---- sizes ----


def shape(input: Connection) -> Any:
    """Numbers where they are known, so that the rest of Python's arithmetic applies."""
    if input.dims is None:
        return input.shape
    return tuple(input.shape[i] if dim is None else dim for i, dim in enumerate(input.dims))


def size(input: Connection, dim: int | None = None) -> Any:
    return shape(input) if dim is None else shape(input)[dim]


def numel(input: Connection) -> Any:
    return ml.Size()(input)


# ---- the same elements in another shape ----


def sizes_of(sizes: tuple[Any, ...]) -> Any:
    """view(2, 3), view((2, 3)) and view(x.shape) alike."""
    refuse_if(any(isinstance(each, torch.dtype) for each in sizes), "as another dtype")
    single = len(sizes) == 1 and not isinstance(sizes[0], int)
    given = sizes[0] if single else sizes
    if isinstance(given, Connection) and "tuple" not in given.type_text:
        return (given,)
    return tuple(given) if isinstance(given, list) else given


def reshape(input: Connection, *sizes: Any, shape: Any = None) -> Any:
    return input.reshape(sizes_of(sizes if shape is None else (shape,)))


def flatten(
    input: Connection, start_dim: int = 0, end_dim: int = -1, name: str | None = None
) -> Any:
    return ml.Flatten(start_dim=start_dim, end_dim=end_dim, name=name)(input)


def unflatten(input: Connection, dim: int, sizes: Any) -> Any:
    before = list(shape(input)[: dim % rank_of(input)])
    after = list(shape(input)[dim % rank_of(input) + 1 :])
    return input.reshape((*before, *sizes, *after))


def permute(input: Connection, *dims: Any) -> Any:
    order = dims[0] if len(dims) == 1 and not isinstance(dims[0], int) else dims
    return input.transpose(tuple(order))


def swap(input: Connection, dim0: int, dim1: int) -> Any:
    return ml.SwapAxes(axis1=dim0, axis2=dim1)(input)


def unsqueeze(input: Connection, dim: int) -> Any:
    return ml.ExpandDims(axis=dim)(input)


def squeeze(input: Connection, dim: Any = None) -> Any:
    return ml.Squeeze(axis=tuple(dim) if isinstance(dim, list) else dim)(input)


def expand(input: Connection, *sizes: Any) -> Any:
    """-1 keeps the size of an axis, counted from the last."""
    wanted = sizes_of(sizes)
    refuse_if(isinstance(wanted, Connection), "to a shape whose rank is not known")
    kept = [
        shape(input)[i - len(wanted)] if isinstance(each, int) and each == -1 else each
        for i, each in enumerate(wanted)
    ]
    return ml.BroadcastTo()(input=input, shape=tuple(kept))


# ---- pieces ----


def cat(tensors: Any, dim: int = 0, axis: int | None = None) -> Any:
    return ml.Concat(axis=dim if axis is None else axis)(list(tensors))


def stack(tensors: Any, dim: int = 0) -> Any:
    return cat([unsqueeze(each, dim) for each in tensors], dim)


def chunk(input: Connection, chunks: int, dim: int = 0) -> Any:
    each = (size(input, dim) + (chunks - 1)) // chunks
    return tuple(
        input[along(dim, slice(i * each if i else None, (i + 1) * each))] for i in range(chunks)
    )


def split(input: Connection, split_size_or_sections: Any, dim: int = 0) -> Any:
    each = split_size_or_sections
    if isinstance(each, list | tuple):
        return ml.PrimitiveSplit(sizes=tuple(each), axis=dim)(input)
    return Slices(lambda i: input[along(dim, slice(i * each, (i + 1) * each))])


def unbind(input: Connection, dim: int = 0) -> Any:
    return Slices(lambda i: input[along(dim, i)])


def select(input: Connection, dim: int, index: Any) -> Any:
    return input[along(dim, index)]


def narrow(input: Connection, dim: int, start: Any, length: Any) -> Any:
    return input[along(dim, slice(start, start + length))]


def index_select(input: Connection, dim: int, index: Connection) -> Any:
    return ml.Gather(axis=dim)(input, index)


def roll(input: Connection, shifts: Any, dims: Any) -> Any:
    pairs = [(shifts, dims)] if isinstance(shifts, int) else zip(shifts, dims, strict=True)
    for shift, dim in pairs:
        start = -shift % size(input, dim)
        parts = (input[along(dim, each)] for each in (slice(start, None), slice(None, start)))
        input = cat(parts, dim)
    return input


def repeat(input: Connection, *sizes: Any) -> Any:
    counts = sizes_of(sizes)
    new = len(counts) - rank_of(input)
    refuse_if(any(not isinstance(each, int) or each < 1 for each in counts), "by open numbers")
    if new > 0:
        input = input.reshape((*(1,) * new, *shape(input)))
    for dim, count in enumerate(counts):
        input = cat([input] * count, dim) if count > 1 else input
    return input


def repeat_interleave(input: Connection, repeats: Any, dim: int | None = None) -> Any:
    refuse_if(dim is None or not isinstance(repeats, int), "by a tensor, or without dim")
    at = dim if dim is not None and dim >= 0 else rank_of(input) + (dim or 0)
    return flatten(stack([input] * repeats, at + 1), at, at + 1)


def nearest(
    input: Connection,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: Any = None,
    recompute_scale_factor: Any = None,
    antialias: bool = False,
) -> Any:
    """F.interpolate by whole numbers: each element so many times."""
    refuse_if(mode != "nearest" or size is not None, "but by scale_factor, and to the nearest")
    rank = rank_of(input)
    for dim, factor in enumerate(as_tuple(scale_factor, rank - 2), start=2):
        refuse_if(float(factor) != int(factor), "by a factor that is no whole number")
        input = repeat_interleave(input, int(factor), dim)
    return input


def pad(input: Connection, pad: Any, mode: str = "constant", value: Any = None) -> Any:
    refuse_if(mode != "constant" or any(each < 0 for each in pad), "but with zeros or a constant")
    widths = [(0, 0)] * rank_of(input)
    for i in range(len(pad) // 2):
        widths[-1 - i] = (pad[2 * i], pad[2 * i + 1])
    return ml.Pad(pad_width=tuple(widths), value=value or 0)(input)


def triangle(lower: bool) -> Any:
    """tril and triu: zeros above or below a diagonal."""

    def build(input: Connection, diagonal: int = 0) -> Any:
        rows = unsqueeze(ml.Arange()(stop=input.shape[-2]), -1)
        columns = ml.Arange()(stop=input.shape[-1])
        kept = columns - rows <= diagonal if lower else columns - rows >= diagonal
        return ml.Where()(kept, input, 0)

    return build


# ---- new tensors ----


def arange(*bounds: Any, dtype: Any = None, device: Any = None) -> Any:
    refuse_if(dtype not in (None, torch.int64), f"of {dtype}")
    names = ("stop",) if len(bounds) == 1 else ("start", "stop", "step")
    return ml.Arange()(**dict(zip(names, bounds, strict=False)))


def filled(number: float) -> Any:
    return lambda input: internal("FillLike", number=number)(input)


def full_like(input: Connection, fill_value: Any) -> Any:
    return internal("FillLike", number=fill_value)(input)


def same(input: Any, *options: Any, **named: Any) -> Any:
    return input


# ---- attributes, which are met as getattr(x, name) ----


def attribute(input: Any, name: str) -> Any:
    known = {"shape": shape, "T": lambda x: x.T, "mT": lambda x: swap(x, -1, -2), "ndim": rank_of}
    if name == "device":
        return ANY_DEVICE
    if isinstance(input, tuple) and hasattr(input, name):
        return getattr(input, name)
    refuse_if(name not in known, f"the attribute {name!r}")
    return known[name](input)


TABLE: Table = table(
    (attribute, getattr),
    (lambda input, index: input[index], operator.getitem),
    (size, "size"),
    (numel, torch.numel, "numel"),
    (rank_of, "dim", "ndimension"),
    (reshape, torch.reshape, "reshape", "view"),
    (lambda input, other: internal("ReshapeLike")(input, other), "view_as", "reshape_as"),
    (flatten, torch.flatten, "flatten"),
    (unflatten, torch.unflatten, "unflatten"),
    (permute, torch.permute, "permute"),
    (swap, torch.transpose, torch.swapaxes, torch.swapdims, "transpose", "swapaxes", "swapdims"),
    (lambda input: swap(input, 0, 1), torch.t, "t"),
    (unsqueeze, torch.unsqueeze, "unsqueeze"),
    (squeeze, torch.squeeze, "squeeze"),
    (expand, "expand"),
    (lambda input, other: internal("ExpandLike")(input, other), "expand_as"),
    (cat, torch.cat, torch.concat, torch.concatenate),
    (stack, torch.stack),
    (chunk, torch.chunk, "chunk"),
    (split, torch.split, "split"),
    (unbind, torch.unbind, "unbind"),
    (select, torch.select, "select"),
    (narrow, torch.narrow, "narrow"),
    (index_select, torch.index_select, "index_select"),
    (roll, torch.roll, "roll"),
    (pad, F.pad),
    (repeat, "repeat"),
    (repeat_interleave, torch.repeat_interleave, "repeat_interleave"),
    (nearest, F.interpolate),
    (triangle(lower=True), torch.tril, "tril"),
    (triangle(lower=False), torch.triu, "triu"),
    (arange, torch.arange),
    (filled(0), torch.zeros_like),
    (filled(1), torch.ones_like),
    (full_like, torch.full_like),
    (same, "contiguous", "clone", torch.clone, "cuda", "cpu"),
)
