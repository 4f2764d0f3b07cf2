"""What `ml.from_torch` makes of pooling."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812 - as everyone writes it
from torch import nn

from . import from_torch_shapes as shapes
from . import models as ml
from .from_torch_table import Builder, Table, as_tuple, internal, of, rank_of, refuse_if, table


def windows(maker: Any, rank: int, *options: Any, name: str | None = None) -> Any:
    """A pool of kernel, stride, padding and dilation, as it takes them."""
    tuples = [as_tuple(each, rank) for each in options]
    names = ("kernel_size", "stride", "padding", "dilation")
    return maker(
        **dict(zip(names, tuples if rank > 1 else [each[0] for each in tuples], strict=True)),
        name=name,
    )


def max_pool(rank: int) -> Builder:
    maker = ml.MaxPool1D if rank == 1 else ml.MaxPool2D

    def build(
        input: Any,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        ceil_mode: bool = False,
        return_indices: bool = False,
        name: str | None = None,
    ) -> Any:
        refuse_if(ceil_mode, "with ceil_mode=True")
        refuse_if(return_indices, "with return_indices=True")
        stride = kernel_size if stride is None else stride
        return windows(maker, rank, kernel_size, stride, padding, dilation, name=name)(input)

    return build


def average_pool(rank: int) -> Builder:
    maker = ml.AvgPool1D if rank == 1 else ml.AvgPool2D

    def build(
        input: Any,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: Any = None,
        name: str | None = None,
    ) -> Any:
        refuse_if(ceil_mode, "with ceil_mode=True")
        refuse_if(divisor_override is not None, "with divisor_override")
        options = (kernel_size, kernel_size if stride is None else stride, padding, 1)
        pooled = windows(maker, rank, *options, name=name)(input)
        if count_include_pad or not any(as_tuple(padding, rank)):
            return pooled
        ones = internal("FillLike", number=1)(input)
        return pooled / windows(maker, rank, *options)(ones)  # by the share that is no padding

    return build


def adaptive_average_pool(rank: int) -> Builder:
    """Means of equal windows: reshape refuses sizes that cannot be cut so."""

    def build(input: Any, output_size: Any) -> Any:
        sizes = dict(zip(range(-rank, 0), as_tuple(output_size, rank), strict=True))
        if set(sizes.values()) == {1}:
            return input.mean(tuple(sizes), True)
        for dim, size in sizes.items():
            if size is None:
                continue
            before = shapes.shape(input)[: rank_of(input) + dim]
            after = shapes.shape(input)[dim + 1 :] if dim < -1 else ()
            input = input.reshape((*before, size, -1, *after)).mean(dim, False)
        return input

    return build


def of_windows(builder: Builder, *names: str) -> Builder:
    return of(builder, "kernel_size", "stride", "padding", *names)


FUNCTIONS: Table = table(
    (max_pool(1), F.max_pool1d, torch.max_pool1d),
    (max_pool(2), F.max_pool2d, torch.max_pool2d),
    (average_pool(1), F.avg_pool1d, torch.avg_pool1d),
    (average_pool(2), F.avg_pool2d),
    (adaptive_average_pool(1), F.adaptive_avg_pool1d, torch.adaptive_avg_pool1d),
    (adaptive_average_pool(2), F.adaptive_avg_pool2d),
)

MAX_OPTIONS = ("dilation", "ceil_mode", "return_indices")
MODULES: Table = table(
    (of_windows(max_pool(1), *MAX_OPTIONS), nn.MaxPool1d),
    (of_windows(max_pool(2), *MAX_OPTIONS), nn.MaxPool2d),
    (of_windows(average_pool(1), "ceil_mode", "count_include_pad"), nn.AvgPool1d),
    (
        of_windows(average_pool(2), "ceil_mode", "count_include_pad", "divisor_override"),
        nn.AvgPool2d,
    ),
    (of(adaptive_average_pool(1), "output_size"), nn.AdaptiveAvgPool1d),
    (of(adaptive_average_pool(2), "output_size"), nn.AdaptiveAvgPool2d),
)
