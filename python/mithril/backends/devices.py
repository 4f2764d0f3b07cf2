"""Devices and arrays of backends, with the same methods for all backends."""

from __future__ import annotations

import os
from abc import abstractmethod
from typing import Any, NamedTuple

from .. import _core
from .._internal.arguments import checked_kinds
from .._internal.arrays import makes_array

__all__ = ["DeviceArrays", "MemoryInfo"]

CGROUP = "/sys/fs/cgroup"


class MemoryInfo(NamedTuple):
    """The memory of a device in bytes. An unknown number is None."""

    device: str
    total: int | None  # bytes of the device
    free: int | None  # bytes that no array takes
    allocated: int | None  # the bytes that the backend holds now
    peak: int | None  # the most bytes that the backend held
    limit: int | None  # memory_limit of the backend


class DeviceArrays:
    """The base class of the backends, whose arrays are those of NumPy, PyTorch or JAX."""

    @classmethod
    def devices(cls) -> list[str]:
        """Returns the devices of this machine on which such a backend can run.

        The list is empty if the library of the backend is not installed.
        """
        raise NotImplementedError

    @classmethod
    @checked_kinds
    def is_available(cls, device: str | None = None) -> bool:
        """Returns whether such a backend can run here, on this device or on any.

        Example:
            assert ml.CpuBackend.is_available()
            gpu = ml.TorchBackend.is_available("cuda:0")
        """
        known = cls.devices()
        return bool(known) if device is None else device in known

    @property
    @abstractmethod
    def default_device(self) -> str:
        """The device on which the backend runs and makes arrays, such as "cuda:0"."""

    @checked_kinds
    def memory_info(self, device: str | None = None) -> MemoryInfo:
        """Returns the memory of a device: total, free, allocated, peak and limit, in bytes.

        An unknown number is None. The last three exist for the default device of a backend that
        counts its memory.

        Args:
            device: The name of a device. None: the default device.
        Raises:
            BackendError: There is no such device.

        Example:
            free = ml.CpuBackend().memory_info().free
        """
        chosen = self._known_device(self.default_device if device is None else device)
        total, free = self._memory_of(chosen)
        counted: dict[str, int | None] = {}
        try:
            counted = self.get_memory_stats()  # type: ignore[attr-defined]
        except _core.BackendError as error:
            if error.code != "E1020":  # it does not count its memory
                raise
        if chosen != self.default_device:
            counted = {}
        return MemoryInfo(
            chosen,
            total,
            free,
            counted.get("allocated"),
            counted.get("peak"),
            counted.get("limit"),
        )

    @makes_array
    def to_device(self, array: Any, device: str) -> Any:
        """Returns the array on another device.

        An array that is already there is returned as it is.
        """
        return self._moved(array, self._known_device(device))

    @makes_array
    def reshape(self, array: Any, *shape: Any) -> Any:
        """Returns the array with another shape: reshape(a, 2, -1) or reshape(a, (2, -1)).

        One size may be -1. The result is a view where possible.
        """
        return array.reshape(sizes_of(shape))

    @makes_array
    def contiguous(self, array: Any) -> Any:
        """Returns the array with its elements in row-major order without gaps.

        An array that is already contiguous is returned as it is.
        """
        raise NotImplementedError

    @classmethod
    def _known_device(cls, device: str) -> str:
        known = cls.devices()
        if not isinstance(device, str):
            _core.wrong_argument(cls.__name__, "device", "the name of a device", device)
        if device in known:
            return device
        facts = [("known", ", ".join(known))]
        _core.raise_error("BackendError", "E1005", f"there is no device '{device}'", facts=facts)
        raise AssertionError

    def _memory_of(self, device: str) -> tuple[int | None, int | None]:
        """Returns the total and the free bytes of a device."""
        raise NotImplementedError

    def _moved(self, array: Any, device: str) -> Any:
        raise NotImplementedError


def sizes_of(shape: tuple[Any, ...]) -> tuple[int, ...]:
    """Returns the sizes of zeros(2, 3) and of zeros((2, 3))."""
    if len(shape) == 1 and not hasattr(shape[0], "__index__"):
        return tuple(shape[0])
    return shape


def host_memory() -> tuple[int | None, int | None]:
    """Returns the total and the free bytes of this machine, or of the container."""
    return _core.host_memory(os.fspath(CGROUP))
