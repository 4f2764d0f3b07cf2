"""Moves batches to the device of a backend."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import Any, NamedTuple

import numpy as np

from ..backends.devices import DeviceArrays
from .batches import Batch
from .prefetch import prefetched
from .shares import RowsOfProcess


class Placement(NamedTuple):
    """The backend that gets the batches, and how many batches a thread moves ahead."""

    backend: DeviceArrays
    prefetch: int

    def moved(self, batches: Generator[Batch, None, None]) -> Iterator[Batch]:
        """Yields the batches as arrays on the default device of the backend."""
        made = self._moved(batches)
        return prefetched(made, self.prefetch) if self.prefetch else made

    def _moved(self, batches: Generator[Batch, None, None]) -> Generator[Batch, None, None]:
        device = self.backend.default_device
        try:
            for batch in batches:
                moved = {key: self._moved_array(array, device) for key, array in batch.items()}
                yield batch.like(moved) if isinstance(batch, RowsOfProcess) else moved
        finally:
            batches.close()

    def _moved_array(self, array: Any, device: str) -> Any:
        dtype, flags = array.dtype, array.flags
        if dtype.kind not in "biufc":
            return array
        # Libraries of devices take arrays that can be written, without negative strides.
        is_forward = min(array.strides, default=0) >= 0
        if not (dtype.isnative and flags.writeable and is_forward):
            array = np.array(array, dtype.newbyteorder("="), order="C")
        return self.backend._moved(array, device)
