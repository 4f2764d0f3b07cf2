"""Batches of rows: dicts of arrays whose first axes have the same length."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from .._core import raise_error
from .._internal.arrays import as_array

Batch = dict[str, Any]


def row_count(batch: Mapping[str, Any]) -> int:
    """Returns the number of rows."""
    return len(next(iter(batch.values()))) if batch else 0


def cut(batch: Batch, first: int, end: int) -> Batch:
    """Returns the rows from `first` to `end`, as views."""
    if first == 0 and end == row_count(batch):
        return batch
    return {key: array[first:end] for key, array in batch.items()}


def chosen(batch: Batch, rows: Any) -> Batch:
    """Returns copies of the rows of a mask or of indices."""
    return {key: array[rows] for key, array in batch.items()}


def joined(batches: Sequence[Batch]) -> Batch:
    """Concatenates the rows of all batches, which have the same keys."""
    if len(batches) == 1:
        return batches[0]
    return {key: np.concatenate([batch[key] for batch in batches]) for key in batches[0]}


def checked_batch(call: str, arrays: Mapping[str, Any]) -> Batch:
    """Returns the arrays as a batch. InputError E0880 unless they have equal numbers of rows."""
    batch = {str(key): as_array(value) for key, value in arrays.items()}
    if len(lengths := {array.shape[:1] for array in batch.values()}) < 2 and () not in lengths:
        return batch
    shown = [str(len(array)) if array.shape else "a scalar" for array in batch.values()]
    raise_error(
        "InputError",
        "E0880",
        f"{call}: the arrays differ in length",
        facts=list(zip(batch, shown, strict=True)),
    )
    raise AssertionError


def named(call: str, parts: Any, names: Sequence[str] | None) -> Mapping[str, Any]:
    """Returns the parts of a batch or a sample of PyTorch (dict, tuple or tensor) by name."""
    if isinstance(parts, (tuple, list)):
        given = parts
    elif isinstance(parts, Mapping):
        return parts
    else:
        given = [parts]
    if names is not None and len(names) == len(given):
        return dict(zip(names, given, strict=True))
    raise_error(
        "InputError",
        "E0881",
        f"{call}: a batch has {len(given)} part{'s' * (len(given) != 1)}, "
        f"and there are {len(names or ())} names",
        facts=[("names", ", ".join(names or ()))],
        help="give each batch as a dict or a tuple in this order, or all rows as one dict of arrays"
        if call == "fit"
        else "name the parts in their order: ml.data.from_torch(loader, names=[...])",
    )
    raise AssertionError


def rebatched(pieces: Iterable[Batch], size: int) -> Generator[Batch, None, None]:
    """Yields the same rows in batches of `size`. The last batch may be short."""
    held: list[Batch] = []
    count = 0
    for piece in pieces:
        rows, first = row_count(piece), 0
        if not held and rows == size:
            yield piece
            continue
        while count + rows - first >= size:
            end = first + size - count
            yield joined([*held, cut(piece, first, end)])
            held, count, first = [], 0, end
        if first < rows:
            held.append(cut(piece, first, rows))
            count += rows - first
    if held:
        yield joined(held)
