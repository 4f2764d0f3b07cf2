"""The share of a process of a group in the work of `fit`."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from .._core import DistributedError, Error, raise_error
from .._internal.arrays import numpy_array
from ..data.shares import RowsOfProcess, checksum

if TYPE_CHECKING:
    from .._core import CompiledModel
    from ..distributed import Group

# Errors of `fit` that all processes raise at the same step: the loss is that of all rows.
OF_ALL = ("E0419", "E0841")


def has_peers(group: Group | None) -> bool:
    """Returns whether there are other processes."""
    return group is not None and group.size > 1


def rows_of_process(
    compiled: CompiledModel, group: Group | None, batch: Mapping[str, Any]
) -> Mapping[str, Any]:
    """Returns the rows of a batch that this process computes, as `Group.rows` does."""
    if isinstance(batch, RowsOfProcess):
        check_sharded(group, batch)
        return batch
    if group is None or group.size == 1:
        return batch
    return group.rows(batch, compiled.replicated_keys)


def check_sharded(group: Group | None, batch: RowsOfProcess) -> None:
    """Raises ValueError E0416 for rows that were taken for another group."""
    rank, size = (group.rank, group.size) if group is not None else (0, 1)
    if (batch.rank, batch.size) == (rank, size):
        return
    raise_error(
        "ValueError",
        "E0416",
        "fit: the data is sharded for another group than that of the model",
        facts=[
            ("data", f"process {batch.rank} of {batch.size}"),
            ("model", f"process {rank} of {size}"),
        ],
        help="compile with group=group, and shard the data for the same group",
    )


def row_total(batch: Mapping[str, Any]) -> int:
    """Returns the number of rows of the batch on all processes."""
    if isinstance(batch, RowsOfProcess):
        return batch.total
    shape = np.shape(next(iter(batch.values()), 0))
    return shape[0] if shape else 1


class BatchAgreement:
    """Compares the batches of an epoch on all processes: DistributedError E0964 if they differ.

    A DataLoader that shuffles by a seed of its process, or that gives each process a part, would
    make `fit` train on wrong rows. Each comparison is one small exchange. The first batch is
    compared whole, the others by a sample of their elements. Of `arrays`, of which `fit` itself
    makes the batches, only the first one is compared.
    """

    def __init__(self, group: Group | None, options: Mapping[str, Any], arrays: bool) -> None:
        self._group = group if group is not None and group.size > 1 else None
        self._options, self._arrays = options, arrays

    def batch(self, number: int, batch: Mapping[str, Any]) -> None:
        """Compares a batch. Numbers count from 1."""
        if self._group is None or (self._arrays and number > 1):
            return
        first = number == 1
        entries = dict(self._options) if first else {}
        entries["the number of batches"] = f"at least {number}"
        if isinstance(batch, RowsOfProcess):
            entries["the rows"] = f"{batch.total} rows of: {batch.whole()}"
        else:
            text = whole_checksum if first else checksum
            entries |= {f"the rows of '{key}'": text(value) for key, value in batch.items()}
        self._group.agree(entries, "fit")

    def end(self, number: int) -> None:
        """Compares the number of batches."""
        if self._group is not None and not self._arrays:
            self._group.agree({"the number of batches": str(number)}, "fit")


def whole_checksum(value: Any) -> str:
    """Returns a text about the dtype, the shape and all elements of an array."""
    array = np.ascontiguousarray(numpy_array(value))
    digest = hashlib.sha256(array.tobytes()).hexdigest()
    return f"{array.dtype}{list(np.shape(value))} with the checksum {digest}"


@contextmanager
def abandoning(group: Group | None) -> Iterator[None]:
    """Lets the other processes quote an exception that this one raises."""
    try:
        yield
    except DistributedError:
        raise  # on all processes
    except BaseException as error:
        of_all = isinstance(error, Error) and error.code in OF_ALL
        if group is not None and not of_all:
            group.abandon(error)
        raise


def is_true_on_any(group: Group | None, flag: bool) -> bool:
    """Returns whether it is true on a process of the group, so that all of them end together."""
    if group is None or group.size == 1:
        return flag
    return bool(group.all_reduce(np.array(flag, np.int32), "max"))
