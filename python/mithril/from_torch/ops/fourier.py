"""Conversions of Fourier transforms for `ml.from_torch`. Torch's other transforms are made of these
three."""

from __future__ import annotations

import math
from typing import Any

from ... import models as ml
from ..._core import Connection
from ..builders import Table, as_float, internal_op, rank_of, size, table
from ..complex_values import Complex, as_complex, of_pairs, pairs_of, rounded_once


def scaled(x: Any, sizes: list[Any], normalization: int) -> Any:
    """x, x divided by the root of the number of elements, or by that number."""
    if normalization == 0:
        return x
    count: Any = math.prod(length for length in sizes if isinstance(length, int))
    for length in sizes:
        count = count if isinstance(length, int) else count * length
    if isinstance(count, int):
        return x * (count**-0.5 if normalization == 1 else 1.0 / count)
    divisor = internal_op("Widen")(count.tensor())
    return x / (divisor.sqrt() if normalization == 1 else divisor)


def along_axes(pairs: Connection, axes: list[int], *, inverse: bool) -> Connection:
    """Transforms along axes of numbers, which are counted from 0."""
    last = rank_of(pairs) - 2
    for axis in axes:
        turn = ml.SwapAxes(axis1=axis, axis2=last)
        turned = pairs if axis == last else turn(pairs)
        made = ml.PrimitiveFft(inverse=inverse)(turned)
        pairs = made if axis == last else ml.SwapAxes(axis1=axis, axis2=last)(made)
    return pairs


def cut(pairs: Connection, axis: int, count: Any) -> Connection:
    piece: Connection = pairs[(*(slice(None),) * axis, slice(None, count))]
    return piece


def axes_of(x: Any, dim: Any) -> list[int]:
    return [axis % max(rank_of(x), 1) for axis in dim]


def of_reals(self: Connection, dim: Any, normalization: int, onesided: bool) -> Complex:
    """The last axis has one half of the results: the others are conjugates."""
    *others, last = axes_of(self, dim)
    pairs = along_axes(pairs_of(as_complex(self)), [last], inverse=False)
    if onesided:
        pairs = cut(pairs, last, size(self, last) // 2 + 1)
    pairs = along_axes(pairs, others, inverse=False)
    return of_pairs(scaled(pairs, [size(self, axis) for axis in dim], normalization))


def of_numbers(self: Any, dim: Any, normalization: int, forward: bool) -> Complex:
    pairs = along_axes(pairs_of(as_complex(self)), axes_of(self, dim), inverse=not forward)
    return of_pairs(scaled(pairs, [size(self, axis) for axis in dim], normalization))


def to_reals(self: Complex, dim: Any, normalization: int, last_dim_size: Any) -> Any:
    """The real part of the sum over one half of the numbers: each stands for its conjugate, too,
    except for the first one and the one in the middle."""
    *others, last = axes_of(self, dim)
    pairs = along_axes(pairs_of(self), others, inverse=True)
    half = last_dim_size // 2 + 1
    pairs = cut(pairs, last, half)
    places = ml.Arange()(stop=half)
    once = places.eq(0) | (places * 2).eq(last_dim_size)
    shares = (2.0 - as_float(once)).reshape((-1, *(1,) * (rank_of(self.real) - last)))
    widths = [(0, 0)] * rank_of(pairs)
    widths[last] = (0, last_dim_size - half)
    pairs = ml.Pad()(pairs * shares, pad_width=tuple(widths))
    made = along_axes(pairs, [last], inverse=True)[..., 0]
    sizes = [size(self.real, axis) for axis in dim[:-1]]
    return scaled(made, [*sizes, last_dim_size], normalization)


TABLE: Table = table(
    (rounded_once(of_reals), "_fft_r2c"),
    (rounded_once(of_numbers), "_fft_c2c"),
    (rounded_once(to_reals), "_fft_c2r"),
)
