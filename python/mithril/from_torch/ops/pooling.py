"""Conversions of pooling and resizing for `ml.from_torch`."""

from __future__ import annotations

import math
from typing import Any

import torch

from ... import models as ml
from ..builders import (
    Builder,
    LazyOutput,
    NodeContext,
    Table,
    as_tuple,
    constant_of,
    internal_op,
    rank_of,
    refuse_if,
    shape,
    table,
)
from .shapes import flatten, move

aten = torch.ops.aten


def padding_of(at: NodeContext, rank: int, windows: list[tuple[int, ...]], ceil_mode: bool) -> Any:
    """Before and after each axis. With ceil_mode the last window may reach beyond the padding."""
    kernel, stride, padding, dilation = windows
    if not ceil_mode:
        return tuple((amount, amount) for amount in padding)
    output = at.output[0] if isinstance(at.output, tuple | list) else at.output
    pairs = []
    for i in range(rank):
        have, wanted = at.inputs[0].shape[i - rank], output.shape[i - rank]
        refuse_if(not isinstance(have, int), "with ceil_mode and an open size")
        reach = (wanted - 1) * stride[i] + dilation[i] * (kernel[i] - 1) + 1
        pairs.append((padding[i], max(padding[i], reach - have - padding[i])))
    return tuple(pairs)


def pooled(maker: Any, rank: int, x: Any, options: list[Any], name: str | None = None) -> Any:
    """One or two axes by an op; the first of three by another one."""
    names = ("kernel_size", "stride", "padding", "dilation")
    if rank == 3:
        front = pooled(maker, 1, move(x, -3, -1), [option[:1] for option in options])
        return pooled(maker, 2, move(front, -1, -3), [option[1:] for option in options])
    if rank == 1:
        single = [option[0] for option in options]
        flat = ml.PrimitiveMaxPool1D if maker is ml.PrimitiveMaxPool2D else ml.PrimitiveAvgPool1D
        return values_of(flat(name=name, **dict(zip(names, single, strict=True)))(x))
    return values_of(maker(name=name, **dict(zip(names, options, strict=True)))(x))


def values_of(result: Any) -> Any:
    """The values of a pooling, without the indices of the maxima, which count within windows."""
    return result[0] if isinstance(result, tuple) else result


def windows_of(rank: int, kernel: Any, stride: Any, padding: Any, dilation: Any) -> list[Any]:
    stride = kernel if stride is None or stride == [] else stride
    return [as_tuple(option, rank) for option in (kernel, stride, padding, dilation)]


def max_pool(rank: int, with_indices: bool) -> Builder:
    def build(
        self: Any,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        ceil_mode: bool = False,
        name: str | None = None,
        *,
        at: NodeContext,
    ) -> Any:
        windows = windows_of(rank, kernel_size, stride, padding, dilation)
        windows[2] = padding_of(at, rank, windows, ceil_mode)
        given, wide = within_half(self, rank, windows)
        values = pooled(ml.PrimitiveMaxPool2D, rank, given, wide, name)
        if not with_indices:
            return values
        return values, LazyOutput(lambda: indices_of_windows(self, rank, windows, at))

    return build


def within_half(x: Any, rank: int, windows: list[Any]) -> Any:
    """The ops take half a window of padding at most: elements of -inf in place of more."""
    kernel, stride, padding, dilation = windows
    if all(2 * after <= size for (_, after), size in zip(padding, kernel, strict=True)):
        return x, windows
    lead = ((0, 0),) * (rank_of(x) - rank)
    beyond = tuple((0, after - before) for before, after in padding)
    wide = ml.Pad(pad_width=(*lead, *beyond), value=-math.inf)(x)
    return wide, [kernel, stride, tuple((before, before) for before, _ in padding), dilation]


def indices_of_windows(x: Any, rank: int, windows: list[Any], at: NodeContext) -> Any:
    kernel, stride, padding, dilation = windows
    rows = []
    for i, count in enumerate(at.output[0].shape[-rank:]):
        refuse_if(not isinstance(count, int), "the indices of maxima of an open size")
        starts = torch.arange(count).reshape(-1, 1) * stride[i] - padding[i][0]
        rows.append(starts + torch.arange(kernel[i]) * dilation[i])
    return indices_of_maxima(x, rows, at)


def indices_of_maxima(x: Any, rows: list[torch.Tensor], at: NodeContext) -> Any:
    """Numbers in the plane, of the largest element of each window; `rows` has the places [windows,
    kernel] of each axis, which may lie in the padding."""
    sizes = at.inputs[0].shape[-len(rows) :]
    refuse_if(any(not isinstance(size, int) for size in sizes), "the maxima of an open size")
    widths = [
        (max(0, -int(row.min())), max(0, int(row.max()) - have + 1))
        for row, have in zip(rows, sizes, strict=True)
    ]
    inside, padded = torch.zeros(1, 1, dtype=torch.int64), torch.zeros(1, 1, dtype=torch.int64)
    for row, have, (before, after) in zip(rows, sizes, widths, strict=True):
        inside = together(inside * have, row)
        padded = together(padded * (have + before + after), row + before)
    lead = ((0, 0),) * (rank_of(x) - len(rows))
    wide = ml.Pad(pad_width=(*lead, *widths), value=-math.inf)(x) if any(map(any, widths)) else x
    best = ml.ArgMax(axis=-1)(
        ml.Gather(axis=-1)(flatten(wide, -len(rows), -1), constant_of(padded))
    )
    first = constant_of(torch.arange(inside.shape[0]) * inside.shape[1])
    found = ml.Gather(axis=0)(constant_of(inside.flatten()), best + first)
    return found.reshape((*shape(x)[: -len(rows)], *(row.shape[0] for row in rows)))


def together(numbers: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
    """[windows, kernel] of two axes as those of one."""
    both = numbers[:, None, :, None] + places[None, :, None, :]
    return both.reshape(both.shape[0] * both.shape[1], -1)


def average_pool(rank: int) -> Builder:
    def build(
        self: Any,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: Any = None,
        name: str | None = None,
        *,
        at: NodeContext,
    ) -> Any:
        windows = windows_of(rank, kernel_size, stride, padding, 1)
        wide = padding_of(at, rank, windows, ceil_mode)
        beyond = any(after > own for (_, after), own in zip(wide, windows[2], strict=True))
        padded = any(windows[2])
        mean = pooled(ml.PrimitiveAvgPool2D, rank, self, with_padding(windows, wide), name)
        if divisor_override is not None:
            return mean * (math.prod(windows[0]) / divisor_override)
        if not beyond and (count_include_pad or not padded):
            return mean
        # Divided by the share of each window that counts.
        counted = self
        if count_include_pad:
            lead = ((0, 0),) * (rank_of(self) - rank)
            counted = ml.Pad(pad_width=(*lead, *((amount, amount) for amount in windows[2])))(self)
            wide = tuple((0, after - own) for (_, after), own in zip(wide, windows[2], strict=True))
        ones = internal_op("FillLike", number=1.0)(counted)
        share = pooled(ml.PrimitiveAvgPool2D, rank, ones, with_padding(windows, wide))
        return mean / share

    return build


def with_padding(windows: list[Any], padding: Any) -> list[Any]:
    return [*windows[:2], padding, windows[3]]


def bounds(have: int, wanted: int) -> list[tuple[int, int]]:
    return [(i * have // wanted, -(-(i + 1) * have // wanted)) for i in range(wanted)]


def shares(have: int, wanted: int) -> torch.Tensor:
    """[have, wanted]: the part of each element in each mean."""
    result = torch.zeros(have, wanted, dtype=torch.float64)
    for i, (start, stop) in enumerate(bounds(have, wanted)):
        result[start:stop, i] = 1.0 / (stop - start)
    return result


def along_last(x: Any, axis: int, function: Builder) -> Any:
    """A function of the last axis, applied to another one."""
    return function(x) if axis == -1 else move(function(move(x, axis, -1)), -1, axis)


def adaptive_average_pool(rank: int) -> Builder:
    def build(self: Any, output_size: Any) -> Any:
        wanted = dict(zip(range(-rank, 0), as_tuple(output_size, rank), strict=True))
        if set(wanted.values()) == {1}:
            return self.mean(tuple(wanted), True)
        for axis, count in wanted.items():
            have = (self.dims or [])[axis]
            if count is None or have == count:
                continue
            if count == 1:
                self = self.mean(axis, True)
                continue
            refuse_if(have is None, "of an open size")
            if have % count == 0:
                split = (count, have // count)
                cut = lambda x, split=split: x.reshape((*shape(x)[:-1], *split)).mean(-1)  # noqa: E731
            else:
                matrix = constant_of(shares(have, count))
                cut = lambda x, matrix=matrix: x @ matrix  # noqa: E731
            self = along_last(self, axis, cut)
        return self

    return build


def adaptive_max_pool(rank: int) -> Builder:
    """Each window as a new axis; the shorter ones repeat their last element."""

    def build(self: Any, output_size: Any, *, at: NodeContext) -> Any:
        values, rows = self, []
        for axis, count in zip(range(-rank, 0), as_tuple(output_size, rank), strict=True):
            have: Any = (self.dims or [])[axis]
            refuse_if(have is None, "of an open size")
            pairs = bounds(have, have if count is None else count)
            longest = max(stop - start for start, stop in pairs)
            row = [[min(start + j, stop - 1) for j in range(longest)] for start, stop in pairs]
            rows.append(torch.tensor(row))
            places = constant_of(rows[-1])
            values = along_last(
                values, axis, lambda x, places=places: ml.Gather(axis=-1)(x, places).max(-1)
            )
        return values, LazyOutput(lambda: indices_of_maxima(self, rows, at))

    return build


TABLE: Table = table(
    (max_pool(1, False), "max_pool1d"),
    (max_pool(2, False), "max_pool2d"),
    (max_pool(3, False), "max_pool3d"),
    (max_pool(1, True), "max_pool1d_with_indices"),
    (max_pool(2, True), "max_pool2d_with_indices"),
    (max_pool(3, True), "max_pool3d_with_indices"),
    (average_pool(1), "avg_pool1d"),
    (average_pool(2), "avg_pool2d"),
    (average_pool(3), "avg_pool3d"),
    (adaptive_average_pool(1), "adaptive_avg_pool1d"),
    (adaptive_average_pool(2), "adaptive_avg_pool2d", "_adaptive_avg_pool2d"),
    (adaptive_average_pool(3), "adaptive_avg_pool3d", "_adaptive_avg_pool3d"),
    (adaptive_max_pool(1), "adaptive_max_pool1d"),
    (adaptive_max_pool(2), "adaptive_max_pool2d"),
    (adaptive_max_pool(3), "adaptive_max_pool3d"),
)
