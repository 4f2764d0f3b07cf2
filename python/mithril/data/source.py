"""Sources of rows, and their batches."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from .._core import raise_error, wrong_argument
from .._internal.arguments import checked, checked_kinds
from ..backends.devices import DeviceArrays
from .batches import Batch, rebatched, row_count
from .checks import at_least, close
from .operations import Filtered, Mapped, Operation, Shuffled, Taken
from .placement import Placement
from .prefetch import prefetched
from .shares import RowsOfProcess, Share

if TYPE_CHECKING:
    from ..distributed import Group


class Field(NamedTuple):
    """The dtype and the shape of one row under a key of `source.schema`.

    Example:
        field = ml.data.from_arrays(data).schema["x"]
        assert field == ml.data.Field("float32", (4,))

    See docs/data.md.
    """

    dtype: str
    shape: tuple[int, ...]


class DataSource(ABC):
    """A data set of rows of named arrays, which can be read any number of times.

    The operations return new sources and read nothing. Functions take batches: dicts of arrays with
    several rows each.

    Example:
        source = ml.data.from_arrays(data).filter(lambda batch: batch["x"][:, 0] > -1).shuffle(1)
        for batch in source.read_batches(4):
            step(params, batch)

    See docs/data.md.
    """

    _epoch = 0
    _placement: Placement | None = None  # None: batches stay NumPy arrays
    _share: Share | None = None  # None: all rows of each batch

    @checked_kinds
    def read_batches(self, n: int) -> Iterator[Batch]:
        """Yields all rows in batches of `n` rows. The last batch may be short.

        Raises:
            ValueError: If `n` is below 1.

        Example:
            batches = list(ml.data.from_arrays(data).read_batches(3))
            assert [len(batch["x"]) for batch in batches] == [3, 3, 2]
        """
        n = at_least("read_batches", "n", n, 1)
        pieces = self._share.batches(self, n) if self._share else rebatched(self._pieces(n), n)
        return pieces if self._placement is None else self._placement.moved(pieces)

    @property
    def schema(self) -> dict[str, Field]:
        """Dict of the dtype and the shape of a row by key, read from the first row."""
        pieces = self._pieces(1)
        try:
            first = next((piece for piece in pieces if row_count(piece)), {})
        finally:
            close(pieces)
        return {key: Field(str(array.dtype), array.shape[1:]) for key, array in first.items()}

    @property
    def rows(self) -> int | None:
        """The number of rows, or None if it is unknown before they are read."""
        return None

    @checked_kinds
    def at_epoch(self, epoch: int) -> DataSource:
        """Returns the source in the order of an epoch, for `shuffle`. `fit` calls it.

        Raises:
            ValueError: If `epoch` is negative.

        Example:
            source = ml.data.from_arrays(data).shuffle(seed=1)
            second = next(source.at_epoch(2).read_batches(4))
        """
        source = copy.copy(self)
        source._epoch = at_least("at_epoch", "epoch", epoch, 0)
        return source

    @checked_kinds
    def filter(self, fn: Callable[[Batch], Any]) -> DataSource:
        """Returns a source of the rows for which a function is True.

        Args:
            fn: function that takes a batch and returns a bool for each row.

        Raises:
            InputError: If the function does not return a bool array [B]. Reading raises it.

        Example:
            source = ml.data.from_arrays(data).filter(lambda batch: batch["x"][:, 0] > 0)
        """
        return Derived(self, Filtered(fn))

    @checked_kinds
    def map(self, fn: Callable[[Batch], Mapping[str, Any]]) -> DataSource:
        """Returns a source of the rows that a function computes.

        Args:
            fn: function that takes a batch and returns a dict of arrays with as many rows.

        Raises:
            InputError: If the function returns another number of rows. Reading raises it.

        Example:
            source = ml.data.from_arrays(data).map(lambda batch: {**batch, "x": batch["x"] / 2})
        """
        return Derived(self, Mapped(fn))

    @checked_kinds
    def shuffle(self, seed: int, *, buffer: int = 10_000) -> DataSource:
        """Returns a source of the rows in an order that the seed and the epoch determine.

        If rows can be read in any order, all rows are permuted. Otherwise each row is drawn from
        the next `buffer` rows.

        Raises:
            ValueError: If `seed` is negative, or `buffer` is below 1.

        Example:
            source = ml.data.from_arrays(data).shuffle(seed=1)
        """
        seed = at_least("shuffle", "seed", seed, 0)
        buffer = at_least("shuffle", "buffer", buffer, 1)
        return Derived(self, Shuffled(seed, buffer))

    @checked_kinds
    def take(self, n: int) -> DataSource:
        """Returns a source of the first `n` rows.

        Raises:
            ValueError: If `n` is negative.

        Example:
            assert ml.data.from_arrays(data).take(3).rows == 3
        """
        n = at_least("take", "n", n, 0)
        return Derived(self, Taken(n))

    @checked_kinds
    def batch(self, n: int, *, drop_last: bool = False) -> Batches:
        """Returns batches of `n` rows, for `fit` or a loop.

        The last batch may be short. `drop_last` drops it then.

        Raises:
            ValueError: If `n` is below 1.

        Example:
            batches = ml.data.from_arrays(data).batch(3, drop_last=True)
            assert len(batches) == 2
        """
        n = at_least("batch", "n", n, 1)
        return Batches(self, n, drop_last)

    @checked_kinds
    def shard(self, group: Group) -> DataSource:
        """Returns a source of which each process of a group reads only its rows of each batch.

        The batches are those of one process, and `n` counts the rows of all processes: of B rows
        process r of s reads those from B r / s to B (r + 1) / s, rounded down. Batches are divided
        last, wherever `shard` is called. `fit` takes the rows as they are. Of a source that is read
        in order, such as a CSV file, each process reads all rows and keeps its own.

        Args:
            group: the group, as `ml.distributed.init` returns it.

        Example:
            source = ml.data.from_arrays(data).shuffle(seed=1).shard(ml.distributed.init())
            for rows in source.read_batches(4):
                step(params, rows)
        """
        if not all(isinstance(getattr(group, name, None), int) for name in ("rank", "size")):
            wrong_argument("shard", "group", "a group, such as ml.distributed.init()", group)
        source = copy.copy(self)
        source._share = Share(group.rank, group.size) if group.size > 1 else None
        return source

    @checked_kinds
    def to(self, backend: DeviceArrays, *, prefetch: int = 2) -> DataSource:
        """Returns a source whose batches are arrays on the device of a backend.

        Batches are moved last, wherever `to` is called: functions of `map` and `filter` always take
        NumPy arrays. Shapes and dtypes stay as they are, and texts stay NumPy arrays.

        Args:
            backend: the backend, whose default device gets the arrays.
            prefetch: number of batches that a thread reads and moves ahead. 0 uses no thread.

        Example:
            source = ml.data.from_arrays(data).shuffle(seed=1).to(ml.CpuBackend())
            for batch in source.read_batches(4):
                step(params, batch)
        """
        prefetch = at_least("to", "prefetch", prefetch, 0)
        source = copy.copy(self)
        source._placement = Placement(backend, prefetch)
        return source

    @abstractmethod
    def _pieces(self, n: int) -> Iterator[Batch]:
        """Yields all rows in batches of any size, about n rows."""

    def _at(self, rows: Any) -> Batch:
        """Returns the rows at these indices. The number of rows of the source must be known."""
        raise NotImplementedError

    def _order_text(self) -> str:
        """Returns a text about the order of the rows, which processes compare."""
        return f"{self.rows} rows"

    def __repr__(self) -> str:
        count = "" if self.rows is None else f": {self.rows} rows"
        return f"<{self._name()}{count}>"

    def _name(self) -> str:
        return type(self).__name__


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
        """Returns the batches in the order of an epoch, as `shuffle` determines it.

        Raises:
            ValueError: If `epoch` is negative.

        Example:
            batches = ml.data.from_arrays(data).shuffle(seed=1).batch(4)
            second = next(iter(batches.at_epoch(2)))
        """
        return Batches(self._source.at_epoch(epoch), self._size, self._drop_last, self._depth)

    @checked_kinds
    def prefetch(self, depth: int = 2) -> Batches:
        """Returns the same batches, which a thread makes up to `depth` batches ahead.

        The thread ends with the loop, also if the loop is left early.

        Raises:
            ValueError: If `depth` is below 1.

        Example:
            batches = ml.data.from_arrays(data).batch(4).prefetch()
        """
        depth = at_least("prefetch", "depth", depth, 1)
        return Batches(self._source, self._size, self._drop_last, depth)

    def __repr__(self) -> str:
        return f"<Batches of {self._size}: {self._source!r}>"


class Derived(DataSource):
    """A source of the rows that an operation makes of another source, in the same epoch."""

    def __init__(self, source: DataSource, operation: Operation) -> None:
        self._source, self._operation, self._epoch = source, operation, source._epoch
        self._placement, self._share = source._placement, source._share

    @property
    def rows(self) -> int | None:
        return self._operation.rows(self._source)

    @checked_kinds
    def at_epoch(self, epoch: int) -> DataSource:
        made = super().at_epoch(epoch)
        assert isinstance(made, Derived)
        made._source = self._source.at_epoch(epoch)
        made._operation = copy.copy(self._operation)  # it may keep the order of an epoch
        return made

    def _pieces(self, n: int) -> Iterator[Batch]:
        return self._operation.pieces(self._source, n)

    def _at(self, rows: Any) -> Batch:
        return self._operation.at(self._source, rows)

    def _order_text(self) -> str:
        return self._operation.order_text(self._source)

    def _name(self) -> str:
        return type(self._operation).__name__
