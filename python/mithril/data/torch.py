"""Data sets and loaders of PyTorch as sources. They do not need torch itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np

from .._internal.arrays import as_array
from .batches import Batch, checked_batch, named
from .rows import Stream
from .source import DataSource

Names = Sequence[str] | None


def is_loader(data: Any) -> bool:
    """Returns whether it is a DataLoader, or iterates over batches as one does."""
    return all(hasattr(data, name) for name in ("__iter__", "batch_size", "dataset"))


def is_map_style(data: Any) -> bool:
    """Returns whether samples are read by their index."""
    return hasattr(data, "__getitem__") and hasattr(data, "__len__")


def is_dataset(data: Any) -> bool:
    """Returns whether it is a Dataset or a DataLoader. Iterators end after one loop."""
    if isinstance(data, (str, bytes)) or hasattr(data, "__next__"):
        return False
    return is_map_style(data) or hasattr(data, "__iter__")


class MapStyle(DataSource):
    """A source of samples that are read by their index."""

    def __init__(self, dataset: Any, names: Names) -> None:
        self._dataset, self._names = dataset, names

    @property
    def rows(self) -> int:
        return len(self._dataset)

    def _pieces(self, n: int) -> Iterator[Batch]:
        for first in range(0, self.rows, n):
            yield self._at(range(first, min(first + n, self.rows)))

    def _at(self, rows: Any) -> Batch:
        numbers = [int(row) for row in rows]
        several = getattr(self._dataset, "__getitems__", None)
        samples = several(numbers) if several else [self._dataset[row] for row in numbers]
        return stacked(samples, self._names)


def stacked(samples: Sequence[Any], names: Names) -> Batch:
    """Stacks samples to a batch."""
    rows = [named("from_torch", sample, names) for sample in samples]
    return {
        str(key): np.stack([as_array(row[key]) for row in rows])
        for key in (rows[0] if rows else ())
    }


def map_style(dataset: Any, names: Names) -> DataSource:
    """Returns a source of a Dataset with __getitem__."""
    return MapStyle(dataset, names)


def loader_stream(loader: Any, names: Names) -> DataSource:
    """Returns a source of a DataLoader, whose workers end with the iteration."""

    def read(n: int) -> Iterator[Batch]:
        for batch in loader:
            yield checked_batch("from_torch", named("from_torch", batch, names))

    return Stream(read, type(loader).__name__)


def sample_stream(dataset: Any, names: Names) -> DataSource:
    """Returns a source of an IterableDataset."""

    def read(n: int) -> Iterator[Batch]:
        samples = iter(dataset)
        while several := list(islice(samples, n)):
            yield stacked(several, names)

    return Stream(read, type(dataset).__name__)
