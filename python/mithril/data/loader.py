"""Batches of a source for loops and for `fit`."""

from __future__ import annotations

from collections.abc import Generator, Iterator

from .._core import raise_error, wrong_argument
from .._internal.arguments import checked, checked_kinds
from .batches import Batch, row_count
from .checks import at_least
from .prefetch import prefetched
from .shares import Rank, RowsOfProcess
from .source import DataSource, Field


class Batches:
    """Batches of a source, which can be iterated over any number of times.

    `DataSource.batch` creates them. `len` returns their number, if it is known.

    Example:
        batches = ml.data.from_arrays(data).shuffle(seed=1).batch(4).prefetch()
        for batch in batches:
            step(params, batch)

    See docs/data.md.
    """

    @checked
    def __init__(
        self, source: DataSource, size: int, drop_last: bool = False, depth: int = 0
    ) -> None:
        if not isinstance(source, DataSource):
            wrong_argument("Batches", "source", "a source, such as ml.data.from_arrays", source)
        self._source, self._size, self._drop_last, self._depth = source, size, drop_last, depth

    def __iter__(self) -> Iterator[Batch]:
        made = self._made()
        return prefetched(made, self._depth) if self._depth else made

    def _made(self) -> Generator[Batch, None, None]:
        for batch in self._source.read_batches(self._size):
            rows = batch.total if isinstance(batch, RowsOfProcess) else row_count(batch)
            if self._drop_last and rows < self._size:
                return
            yield batch

    def _turn(self, group: Rank) -> Iterator[Batch]:
        """Yields the batches that this process takes, if the processes take turns."""
        made = self._whole_turn(group)
        return prefetched(made, self._depth) if self._depth else made

    def _whole_turn(self, group: Rank) -> Generator[Batch, None, None]:
        for batch in self._source._turn(self._size, group):
            if self._drop_last and row_count(batch) < self._size:
                return
            yield batch

    def __len__(self) -> int:
        """Returns the number of batches. TypeError E0311 if the number of rows is unknown."""
        rows = self._source.rows
        if rows is None:
            raise_error(
                "TypeError",
                "E0311",
                "the number of batches is not known before they are read",
                facts=[("source", repr(self._source))],
            )
            raise AssertionError
        return rows // self._size if self._drop_last else -(-rows // self._size)

    @property
    def schema(self) -> dict[str, Field]:
        """The schema of the source."""
        return self._source.schema

    @property
    def rows(self) -> int | None:
        """The number of rows of the source, or None if it is unknown."""
        return self._source.rows

    @checked_kinds
    def at_epoch(self, epoch: int) -> Batches:
        """Returns the batches in the order of an epoch, as `shuffle` determines it."""
        return Batches(self._source.at_epoch(epoch), self._size, self._drop_last, self._depth)

    @checked_kinds
    def prefetch(self, depth: int = 2) -> Batches:
        """Returns the same batches, which a thread makes up to `depth` batches ahead.

        The thread ends with the loop, also if the loop is left early.
        """
        depth = at_least("prefetch", "depth", depth, 1)
        return Batches(self._source, self._size, self._drop_last, depth)

    def __repr__(self) -> str:
        return f"<Batches of {self._size}: {self._source!r}>"
