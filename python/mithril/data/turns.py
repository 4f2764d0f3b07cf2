"""The batches of a source that a process takes if the processes of a group take turns."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from typing import Any

import numpy as np

from .batches import Batch, rebatched, row_count
from .prefetch import prefetched
from .shares import Rank
from .source import Batches, DataSource


def turn_of(batches: Iterable[Any], group: Rank) -> Generator[tuple[int, Any], None, None]:
    """Yields the batches that a process takes, with their numbers from 0."""
    for number, batch in enumerate(batches):
        if number % group.size == group.rank:
            yield number, batch


def read_turn(data: DataSource | Batches, n: int, group: Rank) -> Iterator[Batch]:
    """Yields the batches that a process takes. Each one is whole, also after `shard`.

    `n` is the number of rows of a batch of a source.
    """
    if isinstance(data, DataSource):
        return _moved(data, n, group)
    made = _full(data, group)
    return prefetched(made, data._depth) if data._depth else made


def _full(data: Batches, group: Rank) -> Generator[Batch, None, None]:
    for batch in _moved(data._source, data._size, group):
        if data._drop_last and row_count(batch) < data._size:
            return
        yield batch


def _moved(source: DataSource, n: int, group: Rank) -> Iterator[Batch]:
    batches = _read(source, n, group)
    return batches if source._placement is None else source._placement.moved(batches)


def _read(source: DataSource, n: int, group: Rank) -> Generator[Batch, None, None]:
    if source.rows is None or group.size == 1:
        for _, batch in turn_of(rebatched(source._pieces(n), n), group):
            yield batch
        return
    for first in range(group.rank * n, source.rows, group.size * n):
        yield source._at(np.arange(first, min(first + n, source.rows)))
