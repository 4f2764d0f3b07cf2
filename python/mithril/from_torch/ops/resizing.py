"""Builders of `ml.from_torch` for resizing, padding, and windows as columns."""

from __future__ import annotations

from typing import Any

import torch

from ... import models as ml
from ..._core import Connection
from ..builders import (
    Builder,
    NodeContext,
    Table,
    along,
    as_tuple,
    constant_of,
    internal_op,
    rank_of,
    refuse_if,
    shape,
    size,
    table,
)
from .pooling import along_last
from .shapes import flatten

aten = torch.ops.aten

# Resizing: torch says where the elements of one axis go.


def axis_sizes(at: NodeContext, rank: int) -> list[tuple[int, int]]:
    pairs = list(zip(at.inputs[0].shape[-rank:], at.output.shape[-rank:], strict=True))
    refuse_if(
        any(not isinstance(value, int) for pair in pairs for value in pair), "of an open size"
    )
    return pairs


def factors(rank: int, given: Any) -> tuple[Any, ...]:
    """The last arguments: a list of factors, one per axis, or nothing."""
    if len(given) == 1 and isinstance(given[0], list | tuple):
        return tuple(given[0])
    return tuple(given) if len(given) == rank else (None,) * rank


def nearest(rank: int, operator: Any) -> Builder:
    def build(self: Any, output_size: Any, *scales: Any, at: NodeContext) -> Any:
        for i, (have, wanted) in enumerate(axis_sizes(at, rank)):
            line = torch.arange(have, dtype=torch.float64).reshape(1, 1, -1)
            found = operator(line, [wanted], factors(rank, scales)[i]).flatten().long()
            self = ml.Gather(axis=i - rank)(self, constant_of(found))
        return self

    return build


def weighted(rank: int, operator: Any) -> Builder:
    """A matrix for each axis: what torch makes of each element alone."""

    def build(
        self: Any, output_size: Any, align_corners: bool, *scales: Any, at: NodeContext
    ) -> Any:
        refuse_if(not at.output.dtype.is_floating_point, "of ints, whose pixels it rounds")
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


def by_rows(operator: Any) -> Builder:
    """Like by_planes, along the other axis: torch's antialiased kernels give each row the elements
    of the first if the width is 1."""
    return lambda lines, wanted, align, scale: operator(
        lines.transpose(2, 3), [1, wanted], align, None, scale
    )


def grid_sample(
    input: Any, grid: Any, interpolation_mode: int, padding_mode: int, align_corners: bool
) -> Any:
    options: dict[str, Any] = {
        "mode": ("bilinear", "nearest", "bicubic")[interpolation_mode],
        "padding_mode": ("zeros", "border", "reflection")[padding_mode],
    }
    layer = ml.GridSample if rank_of(input) == 4 else ml.GridSample3d
    return layer(align_corners=align_corners, **options)(input=input, grid=grid)


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
    self: Any, kernel_size: Any, dilation: Any, padding: Any, stride: Any, *, at: NodeContext
) -> Any:
    sizes = at.inputs[0].shape[-2:]
    refuse_if(any(not isinstance(size, int) for size in sizes), "of an open size")
    options = [as_tuple(option, 2) for option in (kernel_size, dilation, padding, stride)]
    lead = ((0, 0),) * (rank_of(self) - 2)
    padded = ml.Pad(pad_width=(*lead, *((amount, amount) for amount in options[2])))(self)
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
    refuse_if(any(not isinstance(size, int) for size in output_size), "of an open size")
    options = [as_tuple(option, 2) for option in (kernel_size, dilation, padding, stride)]
    places = places_of_windows(output_size, options)
    high, wide = (n + 2 * pad for n, pad in zip(output_size, options[2], strict=True))
    lead = shape(self)[:-2]
    columns = self.reshape((*lead, -1, *places.shape))
    planes = shape(columns)[:-2]
    like = ml.Zeros()(shape=(*planes, high * wide))
    summed = internal_op("ScatterAdd", axis=-1)(columns, constant_of(places), like)
    image = summed.reshape((*planes, high, wide))
    top, left = options[2]
    return image[..., top : high - top, left : wide - left]


def pad_widths(rank: int, pad: Any) -> tuple[tuple[Any, Any], ...]:
    """Torch begins with the last axis."""
    widths: list[tuple[Any, Any]] = [(0, 0)] * rank
    for i in range(len(pad) // 2):
        widths[-1 - i] = (pad[2 * i], pad[2 * i + 1])
    return tuple(widths)


def constant_pad(self: Any, pad: Any, value: Any = 0) -> Any:
    if not any(isinstance(amount, Connection) or amount for amount in pad):
        return self
    return ml.Pad(value=value or 0)(self, pad_width=pad_widths(rank_of(self), pad))


def reflected(places: Any, count: Any) -> Any:
    last = count - 1
    return last - (last - places.abs()).abs()


def repeated(places: Any, count: Any) -> Any:
    return ml.Minimum()(places.clamp(0, None), count - 1)


def circled(places: Any, count: Any) -> Any:
    return places % count


def circular(self: Any, padding: Any) -> Any:
    """Negative sides are cut first, so that what is left goes round."""
    sides = pad_widths(rank_of(self), padding)
    for axis, (before, after) in enumerate(sides):
        kept = slice(-least(before) or None, least(after) or None)
        if kept != slice(None):
            self = self[along(axis, kept)]
    rest = [most(value) for pair in reversed(sides) for value in pair]
    return pad_by(circled)(self, rest)


def least(side: Any) -> Any:
    return min(side, 0) if isinstance(side, int) else 0


def most(side: Any) -> Any:
    return max(side, 0) if isinstance(side, int) else side


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


MODES = {"reflect": pad_by(reflected), "replicate": pad_by(repeated), "circular": circular}


def pad(self: Any, pad: Any, mode: str = "constant", value: Any = None) -> Any:
    return constant_pad(self, pad, value) if mode == "constant" else MODES[mode](self, pad)


TABLE: Table = table(
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
    (weighted(2, by_rows(aten._upsample_bilinear2d_aa.default)), "_upsample_bilinear2d_aa"),
    (weighted(2, by_rows(aten._upsample_bicubic2d_aa.default)), "_upsample_bicubic2d_aa"),
    (grid_sample, "grid_sampler", "grid_sampler_2d", "grid_sampler_3d"),
    (im2col, "im2col"),
    (col2im, "col2im"),
    (pad, "pad"),
    (constant_pad, "constant_pad_nd"),
    (pad_by(reflected), "reflection_pad1d", "reflection_pad2d", "reflection_pad3d"),
    (pad_by(repeated), "replication_pad1d", "replication_pad2d", "replication_pad3d"),
)
