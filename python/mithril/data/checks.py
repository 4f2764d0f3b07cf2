"""Checks of arguments and results of sources, and helpers of their operations."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any

import numpy as np

from .._core import raise_error
from .batches import Batch


def at_least(call: str, name: str, got: Any, least: int) -> int:
    """Returns the int. ValueError E0452 if it is too small."""
    number = operator.index(got)
    if number < least:
        message = f"{call}: {name} is {number}, expected at least {least}"
        raise_error("ValueError", "E0452", message)
    return number


def close(pieces: Iterator[Batch]) -> None:
    """Closes a generator, and with it what it has started."""
    end = getattr(pieces, "close", None)
    if end is not None:
        end()


def with_dtype(array: Any, dtype: Any) -> Any:
    """Returns the array in a dtype that also holds elements of `dtype`, for longer strings."""
    return array.astype(np.promote_types(array.dtype, dtype), copy=False)


def refuse_result(call: str, got: str, expected: str) -> None:
    """Raises InputError E0882."""
    message = f"{call}: the function returned {got}, expected {expected}"
    raise_error("InputError", "E0882", message)
