"""Conversions of pooling and resizing for `ml.from_torch`."""

from __future__ import annotations

import math
from typing import Any

import torch

from . import models as ml
from ._core import Connection
from .from_torch_shapes import flatten, move
from .from_torch_table import (
    Builder,
    Missing,
    Site,
    Table,
    as_tuple,
    constant_of,
    internal,
    rank_of,
    refuse_if,
    shape,
    size,
    table,
)

aten = torch.ops.aten


# ---- windows ----


def padding_of(at: Site, rank: int, windows: list[tuple[int, ...]], ceil_mode: bool) -> Any:
    """Before and after each axis. With ceil_mode the last window may reach beyond the padding."""
    kernel, stride, padding, dilation = windows
    if not ceil_mode:
        return tuple((each, each) for each in padding)
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
        front = pooled(maker, 1, move(x, -3, -1), [each[:1] for each in options])
        return pooled(maker, 2, move(front, -1, -3), [each[1:] for each in options])
    if rank == 1:
        single = [each[0] for each in options]
        flat = ml.PrimitiveMaxPool1D if maker is ml.PrimitiveMaxPool2D else ml.PrimitiveAvgPool1D
        return values_of(flat(name=name, **dict(zip(names, single, strict=True)))(x))
    return values_of(maker(name=name, **dict(zip(names, options, strict=True)))(x))


def values_of(result: Any) -> Any:
    """Without the places of the maxima, which are counted in windows."""
    return result[0] if isinstance(result, tuple) else result


def windows_of(rank: int, kernel: Any, stride: Any, padding: Any, dilation: Any) -> list[Any]:
    stride = kernel if stride is None or stride == [] else stride
    return [as_tuple(each, rank) for each in (kernel, stride, padding, dilation)]


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
        at: Site,
    ) -> Any:
        windows = windows_of(rank, kernel_size, stride, padding, dilation)
        windows[2] = padding_of(at, rank, windows, ceil_mode)
        values = pooled(ml.PrimitiveMaxPool2D, rank, self, windows, name)
        return (values, Missing("the indices of a maximum")) if with_indices else values

    return build


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
        at: Site,
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
            counted = ml.Pad(pad_width=(*lead, *((each, each) for each in windows[2])))(self)
            wide = tuple((0, after - own) for (_, after), own in zip(wide, windows[2], strict=True))
        ones = internal("FillLike", number=1.0)(counted)
        share = pooled(ml.PrimitiveAvgPool2D, rank, ones, with_padding(windows, wide))
        return mean / share

    return build


def with_padding(windows: list[Any], padding: Any) -> list[Any]:
    return [*windows[:2], padding, windows[3]]


# ---- adaptive windows ----


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

    def build(self: Any, output_size: Any) -> Any:
        for axis, count in zip(range(-rank, 0), as_tuple(output_size, rank), strict=True):
            have = (self.dims or [])[axis]
            if count is None or have == count:
                continue
            refuse_if(have is None, "of an open size")
            pairs = bounds(have, count)
            longest = max(stop - start for start, stop in pairs)
            rows = [[min(start + j, stop - 1) for j in range(longest)] for start, stop in pairs]
            places = constant_of(torch.tensor(rows))
            self = along_last(
                self, axis, lambda x, places=places: ml.Gather(axis=-1)(x, places).max(-1)
            )
        return self, Missing("the indices of a maximum")

    return build


# ---- resizing: torch says where the elements of one axis go ----


def axis_sizes(at: Site, rank: int) -> list[tuple[int, int]]:
    pairs = list(zip(at.inputs[0].shape[-rank:], at.output.shape[-rank:], strict=True))
    refuse_if(any(not isinstance(each, int) for pair in pairs for each in pair), "of an open size")
    return pairs


def factors(rank: int, given: Any) -> tuple[Any, ...]:
    """The last arguments: a list of factors, one per axis, or nothing."""
    if len(given) == 1 and isinstance(given[0], list | tuple):
        return tuple(given[0])
    return tuple(given) if len(given) == rank else (None,) * rank


def nearest(rank: int, operator: Any) -> Builder:
    def build(self: Any, output_size: Any, *scales: Any, at: Site) -> Any:
        for i, (have, wanted) in enumerate(axis_sizes(at, rank)):
            line = torch.arange(have, dtype=torch.float64).reshape(1, 1, -1)
            found = operator(line, [wanted], factors(rank, scales)[i]).flatten().long()
            self = ml.Gather(axis=i - rank)(self, constant_of(found))
        return self

    return build


def weighted(rank: int, operator: Any) -> Builder:
    """A matrix for each axis: what torch makes of each element alone."""

    def build(self: Any, output_size: Any, align_corners: bool, *scales: Any, at: Site) -> Any:
        for i, (have, wanted) in enumerate(axis_sizes(at, rank)):
            lines = torch.eye(have, dtype=torch.float64).reshape(1, have, have, 1)
            matrix = operator(lines, wanted, align_corners, factors(rank, scales)[i])
            matrix = constant_of(matrix.reshape(have, wanted))
            self = along_last(self, i - rank, lambda x, matrix=matrix: x @ matrix)
        return self

    return build


def by_lines(lines: torch.Tensor, wanted: int, align: bool, scale: Any) -> torch.Tensor:
    return aten.upsample_linear1d.default(lines.squeeze(-1), [wanted], align, scale)


def by_planes(operator: Any) -> Builder:
    return lambda lines, wanted, align, scale: operator(lines, [wanted, 1], align, scale, None)


# ---- sliding windows as columns ----


def grid_of_windows(
    sizes: Any, kernel: Any, dilation: Any, padding: Any, stride: Any
) -> list[torch.Tensor]:
    """[kernel, count] for each axis: places in the padded input."""
    grids = []
    for i, have in enumerate(sizes):
        count = (have + 2 * padding[i] - dilation[i] * (kernel[i] - 1) - 1) // stride[i] + 1
        grids.append(
            (torch.arange(kernel[i]) * dilation[i]).reshape(-1, 1)
            + (torch.arange(count) * stride[i]).reshape(1, -1)
        )
    return grids


def places_of_windows(at_sizes: Any, options: Any) -> torch.Tensor:
    """[kernel * kernel, windows]: numbers of elements in the padded plane."""
    padding = options[2]
    rows, columns = grid_of_windows(at_sizes, *options)
    width = at_sizes[1] + 2 * padding[1]
    places = rows[:, None, :, None] * width + columns[None, :, None, :]
    return places.reshape(rows.shape[0] * columns.shape[0], -1)


def im2col(
    self: Any, kernel_size: Any, dilation: Any, padding: Any, stride: Any, *, at: Site
) -> Any:
    sizes = at.inputs[0].shape[-2:]
    refuse_if(any(not isinstance(each, int) for each in sizes), "of an open size")
    options = [as_tuple(each, 2) for each in (kernel_size, dilation, padding, stride)]
    lead = ((0, 0),) * (rank_of(self) - 2)
    padded = ml.Pad(pad_width=(*lead, *((each, each) for each in options[2])))(self)
    places = constant_of(places_of_windows(sizes, options))
    columns = ml.Gather(axis=-1)(flatten(padded, -2, -1), places)  # [..., C, K, windows]
    return flatten(columns, -3, -2)


def col2im(
    self: Any,
    output_size: Any,
    kernel_size: Any,
    dilation: Any,
    padding: Any,
    stride: Any,
) -> Any:
    refuse_if(any(not isinstance(each, int) for each in output_size), "of an open size")
    options = [as_tuple(each, 2) for each in (kernel_size, dilation, padding, stride)]
    places = places_of_windows(output_size, options)
    high, wide = (n + 2 * pad for n, pad in zip(output_size, options[2], strict=True))
    lead = shape(self)[:-2]
    columns = self.reshape((*lead, -1, *places.shape))
    planes = shape(columns)[:-2]
    like = ml.Zeros()(shape=(*planes, high * wide))
    summed = internal("ScatterAdd", axis=-1)(columns, constant_of(places), like)
    image = summed.reshape((*planes, high, wide))
    top, left = options[2]
    return image[..., top : high - top, left : wide - left]


# ---- padding ----


def pad_widths(rank: int, pad: Any) -> tuple[tuple[Any, Any], ...]:
    """Torch begins with the last axis."""
    widths: list[tuple[Any, Any]] = [(0, 0)] * rank
    for i in range(len(pad) // 2):
        widths[-1 - i] = (pad[2 * i], pad[2 * i + 1])
    return tuple(widths)


def constant_pad(self: Any, pad: Any, value: Any = 0) -> Any:
    if not any(isinstance(each, Connection) or each for each in pad):
        return self
    return ml.Pad(value=value or 0)(self, pad_width=pad_widths(rank_of(self), pad))


def reflected(places: Any, count: Any) -> Any:
    last = count - 1
    return last - (last - places.abs()).abs()


def repeated(places: Any, count: Any) -> Any:
    return ml.Minimum()(places.clamp(0, None), count - 1)


def circled(places: Any, count: Any) -> Any:
    return places % count


def pad_by(place: Builder) -> Builder:
    """Elements of the input at the places that the padding repeats."""

    def build(self: Any, padding: Any) -> Any:
        for axis, (before, after) in enumerate(pad_widths(rank_of(self), padding)):
            if isinstance(before, int) and isinstance(after, int) and before == after == 0:
                continue
            count = size(self, axis)
            places = ml.Arange()(start=-before, stop=count + after)
            self = ml.Gather(axis=axis)(self, place(places, count))
        return self

    return build


MODES = {"reflect": pad_by(reflected), "replicate": pad_by(repeated), "circular": pad_by(circled)}


def pad(self: Any, pad: Any, mode: str = "constant", value: Any = None) -> Any:
    return constant_pad(self, pad, value) if mode == "constant" else MODES[mode](self, pad)


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
    (nearest(1, aten.upsample_nearest1d.default), "upsample_nearest1d"),
    (nearest(2, aten.upsample_nearest1d.default), "upsample_nearest2d"),
    (nearest(3, aten.upsample_nearest1d.default), "upsample_nearest3d"),
    (nearest(1, aten._upsample_nearest_exact1d.default), "_upsample_nearest_exact1d"),
    (nearest(2, aten._upsample_nearest_exact1d.default), "_upsample_nearest_exact2d"),
    (nearest(3, aten._upsample_nearest_exact1d.default), "_upsample_nearest_exact3d"),
    (weighted(1, by_lines), "upsample_linear1d"),
    (weighted(2, by_lines), "upsample_bilinear2d"),
    (weighted(3, by_lines), "upsample_trilinear3d"),
    (weighted(2, by_planes(aten.upsample_bicubic2d.default)), "upsample_bicubic2d"),
    (weighted(2, by_planes(aten._upsample_bilinear2d_aa.default)), "_upsample_bilinear2d_aa"),
    (weighted(2, by_planes(aten._upsample_bicubic2d_aa.default)), "_upsample_bicubic2d_aa"),
    (im2col, "im2col"),
    (col2im, "col2im"),
    (pad, "pad"),
    (constant_pad, "constant_pad_nd"),
    (pad_by(reflected), "reflection_pad1d", "reflection_pad2d", "reflection_pad3d"),
    (pad_by(repeated), "replication_pad1d", "replication_pad2d", "replication_pad3d"),
)
