"""Differences between results of Mithril and of ONNX Runtime."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .._internal.arrays import as_array

__all__ = ["Difference", "Values", "bounds_of_nodes", "first_difference", "moved"]

TOLERANCE = 1e-4  # of the largest element of an output, and at least this
HALF_TOLERANCE = 1e-2  # the same for float16 and bfloat16
# Relative to the largest element of the result of one node, by the size of an element in bytes.
NODE_TOLERANCE = {2: 4e-3, 4: 1e-5, 8: 1e-12}

Values = Mapping[str, Any]
Difference = tuple[str, str]  # the name of a value, and how it differs


def first_difference(
    results: Values, expected: Values, bounds: Mapping[str, float] | None = None
) -> Difference | None:
    """The first of the expected values from which a result differs by more than its bound."""
    for name, value in expected.items():
        bound = bounds[name] if bounds else None
        if name in results and (text := _difference(results[name], value, bound)):
            return name, text
    unknown = [name for name in results if name not in expected]
    return (unknown[0], "Mithril has no such value") if unknown else None


def _difference(got: Any, expected: Any, bound: float | None) -> str:
    """Text about the largest difference; empty if it is within the bound."""
    expected, got = np.asarray(expected), np.asarray(got)
    if got.shape != expected.shape:
        return f"{list(got.shape)} in place of {list(expected.shape)}"
    if got.dtype != expected.dtype:
        return f"{got.dtype} in place of {expected.dtype}"
    if expected.dtype.kind != "f":
        count = int((got != expected).sum())
        return f"{count} of {got.size} elements" if count else ""
    wanted, made = expected.astype(np.float64), got.astype(np.float64)
    if bound is None:
        share = HALF_TOLERANCE if expected.dtype.itemsize == 2 else TOLERANCE
        bound = share * max(1.0, _largest(wanted))
    same = (wanted == made) | (np.isnan(wanted) & np.isnan(made))
    with np.errstate(invalid="ignore"):  # of equal infinities
        apart = np.where(same, 0, np.abs(made - wanted))
    largest = float(apart.max(initial=0))
    return "" if largest <= bound else f"{largest:g}, more than {bound:g}"


def bounds_of_nodes(alone: Values, beside: Values) -> dict[str, float]:
    """How far a result of each node may be from that in `alone`.

    It is a share of the largest element. `beside` has the results of inputs that are moved. Small
    elements that are differences of large ones move further, and so do those of float16 that
    another program does not round. Their bound is as much larger, up to a share of 1.
    """
    sizes = [_float_size(value) for value in alone.values()]
    most = NODE_TOLERANCE[min((size for size in sizes if size), default=4)]
    return {name: _bound_of_node(value, beside[name], most) for name, value in alone.items()}


def _float_size(value: Any) -> int:
    """The bytes of an element; 0 for other dtypes than those of NumPy's floats."""
    dtype = np.asarray(value).dtype
    return dtype.itemsize if dtype.kind == "f" else 0


def _bound_of_node(value: Any, beside: Any, most: float) -> float:
    value, size = np.asarray(value), _float_size(value)
    if not size:
        return 0.0
    least = 4 * float(np.finfo(value.dtype).smallest_subnormal)
    value = value.astype(np.float64)
    with np.errstate(invalid="ignore"):  # of equal infinities
        shift = _largest(np.asarray(beside) - value)
    largest = _largest(value)
    bound = min(NODE_TOLERANCE[size] * largest + 16 * shift, most * max(1.0, largest))
    return max(bound, least)


def _largest(values: Any) -> float:
    return float(np.abs(values[np.isfinite(values)]).max(initial=0))


def moved(values: Values) -> dict[str, Any]:
    """Each float is up or down by two units in the last place, at least those of float32."""
    generator = np.random.default_rng(0)
    made = {}
    for name, value in values.items():
        array = as_array(value)
        if array.dtype.kind == "f":
            step = 2 * max(2.0**-23, float(np.finfo(array.dtype).eps))
            signs = generator.choice(np.array([1, -1], array.dtype), array.shape)
            with np.errstate(over="ignore"):
                array = array * (1 + array.dtype.type(step) * signs)
        made[name] = array
    return made
