"""The operations on the rows of a source: filter, map, take and shuffle."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from .._core import _shuffled_rows
from .batches import Batch, checked_batch, chosen, cut, rebatched, row_count
from .checks import close, refuse_result, with_dtype

if TYPE_CHECKING:
    from .source import DataSource

PIECE = 1024  # rows that are read at a time where nobody asks for a number


class Operation(ABC):
    """Makes rows of the rows of a source. The source has the epoch."""

    @abstractmethod
    def pieces(self, source: DataSource, n: int) -> Iterator[Batch]:
        """Yields all rows in batches of any size, about n rows."""

    def at(self, source: DataSource, rows: Any) -> Batch:
        """Returns the rows at these indices. The number of rows of the source must be known."""
        return source._at(rows)

    def rows(self, source: DataSource) -> int | None:
        """Returns the number of rows, or None if it is unknown before they are read."""
        return source.rows

    def order_text(self, source: DataSource) -> str:
        """Returns a text about the order of the rows, which processes compare."""
        return source._order_text()


class Filtered(Operation):
    """Keeps the rows that pass a test."""

    def __init__(self, fn: Callable[[Batch], Any]) -> None:
        self._fn = fn

    def rows(self, source: DataSource) -> int | None:
        return None

    def pieces(self, source: DataSource, n: int) -> Iterator[Batch]:
        for piece in source._pieces(max(n, PIECE)):
            mask = np.asarray(self._fn(piece))
            if mask.dtype != np.bool_ or mask.shape != (row_count(piece),):
                refuse_result(
                    "filter", f"{mask.dtype}{list(mask.shape)}", f"bool[{row_count(piece)}]"
                )
            if mask.all():
                yield piece
            elif mask.any():
                yield chosen(piece, mask)


class Mapped(Operation):
    """Computes rows from others by a function."""

    def __init__(self, fn: Callable[[Batch], Mapping[str, Any]]) -> None:
        self._fn = fn

    def _made(self, piece: Batch) -> Batch:
        made = self._fn(piece)
        if not isinstance(made, Mapping):
            refuse_result("map", f"a {type(made).__name__}", "a dict of arrays")
        batch = checked_batch("map", made)
        if row_count(batch) != row_count(piece):
            refuse_result("map", f"{row_count(batch)} rows", f"{row_count(piece)} rows")
        return batch

    def pieces(self, source: DataSource, n: int) -> Iterator[Batch]:
        for piece in source._pieces(n):
            yield self._made(piece)

    def at(self, source: DataSource, rows: Any) -> Batch:
        return self._made(source._at(rows))


class Taken(Operation):
    """Keeps the first rows."""

    def __init__(self, count: int) -> None:
        self._count = count

    def rows(self, source: DataSource) -> int | None:
        known = source.rows
        return None if known is None else min(known, self._count)

    def order_text(self, source: DataSource) -> str:
        return f"{source._order_text()}, the first {self._count}"

    def pieces(self, source: DataSource, n: int) -> Iterator[Batch]:
        left = self._count
        pieces = source._pieces(n)
        while left > 0 and (piece := next(pieces, None)) is not None:
            yield cut(piece, 0, min(left, row_count(piece)))
            left -= row_count(piece)
        close(pieces)


class Shuffled(Operation):
    """Puts the rows into another order in each epoch."""

    def __init__(self, seed: int, buffer: int) -> None:
        self._seed, self._buffer = seed, buffer
        self._order: tuple[int, Any] | None = None  # of an epoch

    def order_text(self, source: DataSource) -> str:
        text, epoch = source._order_text(), source._epoch
        return f"{text}, shuffled with seed {self._seed} in epoch {epoch}"

    def pieces(self, source: DataSource, n: int) -> Iterator[Batch]:
        if source.rows is None:
            yield from self._drawn(source, n)
            return
        for first in range(0, source.rows, n):
            yield source._at(self._permutation(source)[first : first + n])

    def at(self, source: DataSource, rows: Any) -> Batch:
        return source._at(self._permutation(source)[rows])

    def _permutation(self, source: DataSource) -> Any:
        """Returns the order of all rows in this epoch, which is computed once."""
        if self._order is None or self._order[0] != source._epoch:
            count = source.rows
            assert count is not None
            self._order = source._epoch, _shuffled_rows(count, self._seed, source._epoch)
        return self._order[1]

    def _drawn(self, source: DataSource, n: int) -> Iterator[Batch]:
        """Yields rows drawn from a pool. The next rows take their places."""
        random = np.random.default_rng((self._seed, source._epoch))
        pieces = rebatched(source._pieces(n), self._buffer)
        pool = next(pieces, {})
        pool = {key: array.copy() for key, array in pool.items()}
        for piece in rebatched(pieces, min(n, self._buffer)):
            places = random.choice(row_count(pool), row_count(piece), replace=False)
            out = chosen(pool, places)
            for key, array in piece.items():
                pool[key] = with_dtype(pool[key], array.dtype)
                pool[key][places] = array
            yield out
        yield chosen(pool, random.permutation(row_count(pool)))
