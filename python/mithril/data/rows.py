"""Sources of the rows of arrays and of files."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from .batches import Batch, chosen, cut, row_count
from .source import DataSource


class Arrays(DataSource):
    """A source of the rows of arrays in memory or of mapped files."""

    def __init__(self, arrays: Batch) -> None:
        self._arrays = arrays

    @property
    def rows(self) -> int:
        return row_count(self._arrays)

    def _pieces(self, n: int) -> Iterator[Batch]:
        for first in range(0, self.rows, n):
            yield cut(self._arrays, first, min(first + n, self.rows))

    def _at(self, rows: Any) -> Batch:
        return chosen(self._arrays, rows)


class Stream(DataSource):
    """A source of rows that are read from the beginning: read(n) yields about n rows at a time."""

    def __init__(self, read: Callable[[int], Iterator[Batch]], label: str) -> None:
        self._read, self._label = read, label

    def _pieces(self, n: int) -> Iterator[Batch]:
        return self._read(n)

    def __repr__(self) -> str:
        return f"<Stream: {self._label}>"
