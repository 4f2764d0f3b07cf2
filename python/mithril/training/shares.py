"""The share of a process of a group in the work of `fit`."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..backends.arrays import numpy_array

if TYPE_CHECKING:
    from .._core import CompiledModel
    from ..distributed import Group


def rows_of_process(
    compiled: CompiledModel, group: Group | None, batch: Mapping[str, Any]
) -> Mapping[str, Any]:
    """Returns the rows of a batch that this process computes.

    Of B rows process r of n has those from B * r // n up to B * (r + 1) // n. Inputs without rows
    are whole.
    """
    if group is None or group.size == 1:
        return batch
    whole = compiled.replicated_keys

    def part(key: str, value: Any) -> Any:
        shape = np.shape(value)
        if not shape or key in whole:
            return value
        first, end = (shape[0] * rank // group.size for rank in (group.rank, group.rank + 1))
        return value[first:end]

    return {key: part(key, value) for key, value in batch.items()}


def agree_on_batch(
    group: Group | None, options: Mapping[str, Any], batch: Mapping[str, Any]
) -> None:
    """Raises DistributedError E0964 on all processes unless they have the same options and batch.

    A DataLoader that shuffles by a seed of its process, or that gives each process a part, would
    make `fit` train on wrong rows.
    """
    if group is None or group.size == 1:
        return

    def text(value: Any) -> str:
        array = np.ascontiguousarray(numpy_array(value))
        checksum = hashlib.sha256(array.tobytes()).hexdigest()
        return f"{array.dtype}{list(np.shape(value))} with the checksum {checksum}"

    batches = {f"the rows of '{key}'": text(value) for key, value in batch.items()}
    group.agree({**options, **batches}, "fit")


def is_true_on_any(group: Group | None, flag: bool) -> bool:
    """Returns whether it is true on a process of the group, so that all of them end together."""
    if group is None or group.size == 1:
        return flag
    return bool(group.all_reduce(np.array(flag, np.int32), "max"))
