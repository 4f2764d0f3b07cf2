"""The rows of each batch that a process of a group reads."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Generator, Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from .._internal.arrays import as_array
from .batches import Batch, cut, rebatched, row_count

if TYPE_CHECKING:
    from .source import DataSource

SAMPLE = 256  # elements of an array that its checksum reads, at most
STRIDE = 2654435761  # 2^32 / golden ratio: its multiples are spread over any number of elements


class Rank(Protocol):
    """The attributes of a group that this module reads."""

    @property
    def rank(self) -> int: ...
    @property
    def size(self) -> int: ...


class RowsOfProcess(dict[str, Any]):
    """The rows of a batch that one process of a group has. `fit` does not divide it again.

    Attributes:
        total: rows of the whole batch.
        rank: the process.
        size: the number of processes.
        whole: returns a text about the whole batch, which is the same on all processes.
    """

    def __init__(
        self, rows: Mapping[str, Any], total: int, group: Rank, whole: Callable[[], str]
    ) -> None:
        super().__init__(rows)
        self.total, self.rank, self.size, self.whole = total, group.rank, group.size, whole

    def like(self, rows: Mapping[str, Any]) -> RowsOfProcess:
        """Returns other arrays with the same rows."""
        return RowsOfProcess(rows, self.total, self, self.whole)


def bounds(rows: int, group: Rank) -> tuple[int, int]:
    """Returns the first row of a process, and the row after its last one.

    Of B rows process r of n has those from B * r // n up to B * (r + 1) // n.
    """
    return rows * group.rank // group.size, rows * (group.rank + 1) // group.size


def checksum(array: Any) -> str:
    """Returns a text about the dtype, the shape and a sample of the elements of an array."""
    if hasattr(array, "detach"):  # a tensor of torch, perhaps on a device: only the sample moves
        shape, dtype = tuple(array.shape), str(array.dtype).rsplit(".", maxsplit=1)[-1]
        flat = array.detach().reshape(-1)
        sample = as_array(flat[sampled(len(flat))] if len(flat) > SAMPLE else flat)
    else:
        made = np.asarray(array)
        shape, dtype = made.shape, str(made.dtype)
        # If the array is not contiguous, `flat` copies the sample only.
        sample = made.flat[sampled(made.size)] if made.size > SAMPLE else made
    digest = hashlib.sha256(np.ascontiguousarray(sample).tobytes()).hexdigest()[:16]
    return f"{dtype}{list(shape)} with the checksum {digest}"


def sampled(count: int) -> Any:
    """Returns the indices of the elements that a checksum reads."""
    return np.arange(SAMPLE, dtype=np.int64) * STRIDE % count


def checksums(batch: Mapping[str, Any]) -> str:
    """Returns a text about the arrays of a batch."""
    return ", ".join(f"{key}: {checksum(value)}" for key, value in batch.items())


class Share(NamedTuple):
    """The process whose rows of each batch a source reads."""

    rank: int
    size: int

    def batches(self, source: DataSource, n: int) -> Generator[RowsOfProcess, None, None]:
        """Yields the rows of this process of each batch of `n` rows."""
        if source.rows is None:
            yield from self._of(rebatched(source._pieces(n), n))
            return
        for first in range(0, source.rows, n):
            count = min(n, source.rows - first)
            begin, end = (first + row for row in bounds(count, self))
            # Without rows there are still arrays, whose row is removed.
            read = source._at(np.arange(begin, end if end > begin else begin + 1))
            yield RowsOfProcess(cut(read, 0, end - begin), count, self, source._order_text)

    def _of(self, batches: Iterable[Batch]) -> Generator[RowsOfProcess, None, None]:
        for batch in batches:
            count = row_count(batch)
            rows = cut(batch, *bounds(count, self))
            yield RowsOfProcess(rows, count, self, partial(checksums, batch))
