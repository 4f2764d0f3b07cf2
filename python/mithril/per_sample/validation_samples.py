"""Validation samples, of which each iteration takes a batch."""

from __future__ import annotations

from collections.abc import Set
from typing import Any

import numpy as np

from .._core import raise_error


class ValidationSamples:
    """Validation samples. Iteration t takes the rows t * size to t * size + size - 1, modulo N."""

    def __init__(self, data: dict[str, Any], size: int, shared: Set[str]) -> None:
        """Checks the number of samples. InputError E0840, ValueError E0402."""
        rows = {key: _length(value) for key, value in data.items() if key not in shared}
        lengths = {key: length for key, length in rows.items() if length is not None}
        counts = set(lengths.values()) or {0}
        if len(counts) > 1:
            raise_error(
                "InputError",
                "E0840",
                "attach_and_store_valset: the arrays of 'data' differ in length",
                facts=[(f"'{key}'", str(length)) for key, length in lengths.items()],
                help="name data without a batch axis in shared=",
            )
        count = counts.pop()
        if count < size:
            raise_error(
                "ValueError",
                "E0402",
                f"attach_and_store_valset: there are {count} samples, and validation_batch_size "
                f"is {size}",
            )
        self._data, self._count, self._size, self._shared = dict(data), count, size, shared

    def batch(self, iteration: int) -> dict[str, Any]:
        """Returns the samples of an iteration."""
        if self._count == self._size:
            return self._data
        rows = (iteration * self._size + np.arange(self._size)) % self._count
        return {
            key: value
            if key in self._shared or _length(value) is None
            else (value if hasattr(value, "shape") else np.asarray(value))[rows]
            for key, value in self._data.items()
        }


def _length(value: Any) -> int | None:
    """Returns the number of rows, or None for a scalar."""
    shape = np.shape(value)
    return shape[0] if shape else None
