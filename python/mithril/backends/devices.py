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

        They are "cpu", "cuda:0" and "mps" of PyTorch, and "cpu" and "gpu:0" of JAX. The list is
        empty if the library of the backend is not installed.

        Example:
            assert ml.CpuBackend.devices() == ["cpu"]
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
            device: the name of a device. None: the default device.

        Raises:
            BackendError: If there is no such device.

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

    # Arrays. Sizes are given as numbers or as one tuple. Floats get the dtype of the backend unless
    # another one is given.

    def array(self, value: Any, dtype: Any = None) -> Any:
        """Returns an array with the shape and the elements of a value.

        Args:
            value: a number, a list, or an array of any library. A CpuBackend copies it. A
                TorchBackend shares its elements where possible.
            dtype: the dtype. None: floats get that of the backend, and others keep theirs.

        Raises:
            TypeError: If the dtype is unknown.

        Example:
            rows = backend.array([[1.0, 2.0], [3.0, 4.0]])
            assert tuple(rows.shape) == (2, 2)
        """
        raise NotImplementedError

    def zeros(self, *shape: Any, dtype: Any = None) -> Any:
        """Returns an array of zeros: zeros(2, 3) or zeros((2, 3)).

        Raises:
            ValueError: If a size is negative.
            TypeError: If the dtype is unknown.

        Example:
            zeros = backend.zeros(2, 3)
        """
        raise NotImplementedError

    def ones(self, *shape: Any, dtype: Any = None) -> Any:
        """Returns an array of ones: ones(2, 3) or ones((2, 3)).

        Raises:
            ValueError: If a size is negative.
            TypeError: If the dtype is unknown.

        Example:
            ones = backend.ones((2, 3), dtype="float64")
        """
        raise NotImplementedError

    def empty(self, *shape: Any, dtype: Any = None) -> Any:
        """Returns an array with uninitialized elements: empty(2, 3) or empty((2, 3)).

        A JaxBackend returns zeros, because arrays of JAX cannot be written to.

        Raises:
            ValueError: If a size is negative.
            TypeError: If the dtype is unknown.

        Example:
            buffer = backend.empty(2, 3)
        """
        raise NotImplementedError

    def full(self, *shape: Any, value: Any = None, dtype: Any = None) -> Any:
        """Returns an array filled with a value: full(2, 3, value=1.0) or full((2, 3), 1.0).

        Raises:
            ValueError: If a size is negative.
            TypeError: If the dtype is unknown.

        Example:
            halves = backend.full(2, 3, value=0.5)
        """
        raise NotImplementedError

    def rand(self, *shape: Any, dtype: Any = None, seed: int | None = None) -> Any:
        """Returns random numbers, uniform in [0, 1): rand(2, 3) or rand((2, 3)).

        Args:
            shape: the sizes.
            dtype: the dtype. None: that of the backend.
            seed: the seed of the numbers. None draws the next numbers of the backend.

        Raises:
            ValueError: If a size is negative.
            TypeError: If the dtype is unknown.

        Example:
            numbers = backend.rand(2, 3, seed=1)
        """
        raise NotImplementedError

    def randn(self, *shape: Any, dtype: Any = None, seed: int | None = None) -> Any:
        """Returns numbers of the standard normal distribution: randn(2, 3) or randn((2, 3)).

        Args:
            shape: the sizes.
            dtype: the dtype. None: that of the backend.
            seed: the seed of the numbers. None draws the next numbers of the backend.

        Raises:
            ValueError: If a size is negative.
            TypeError: If the dtype is unknown.

        Example:
            numbers = backend.randn(2, 3, seed=1)
        """
        raise NotImplementedError

    def randint(
        self, low: int, high: int, *shape: Any, dtype: Any = None, seed: int | None = None
    ) -> Any:
        """Returns random integers from low to high - 1: randint(0, 10, 2, 3).

        Args:
            low: the least integer.
            high: the end of the range, which is not drawn.
            shape: the sizes.
            dtype: the dtype. None: int64.
            seed: the seed of the numbers. None draws the next numbers of the backend.

        Raises:
            ValueError: If a size is negative.
            TypeError: If the dtype is unknown.

        Example:
            labels = backend.randint(0, 10, 8, seed=1)
            assert tuple(labels.shape) == (8,)
        """
        raise NotImplementedError

    def arange(self, *bounds: Any, dtype: Any = None) -> Any:
        """Returns a range [N]: arange(stop), arange(start, stop) or arange(start, stop, step).

        Ranges of ints are int64, and others have the dtype of the backend.

        Raises:
            ValueError: If the step is 0.
            TypeError: If the dtype is unknown.

        Example:
            assert [int(number) for number in backend.arange(1, 7, 2)] == [1, 3, 5]
        """
        raise NotImplementedError

    def manual_seed(self, seed: int) -> None:
        """Sets the seed of `rand`, `randn` and `randint` where they are given none.

        Raises:
            TypeError, ValueError: The seed is not an int.

        Example:
            backend.manual_seed(1)
            numbers = backend.rand(2, 3)
        """
        raise NotImplementedError

    @makes_array
    def to_device(self, array: Any, device: str) -> Any:
        """Returns the array on another device, with the same shape and dtype.

        An array that is already there is returned as it is.

        Raises:
            BackendError: If there is no such device.

        Example:
            on_cpu = backend.to_device(backend.zeros(2, 3), "cpu")
        """
        return self._moved(array, self._known_device(device))

    @makes_array
    def reshape(self, array: Any, *shape: Any) -> Any:
        """Returns the array with another shape: reshape(a, 2, -1) or reshape(a, (2, -1)).

        One size may be -1. The result is a view where possible.

        Raises:
            ValueError, TypeError: The array does not have as many elements.

        Example:
            rows = backend.reshape(backend.arange(6), 2, -1)
            assert tuple(rows.shape) == (2, 3)
        """
        return array.reshape(sizes_of(shape))

    @makes_array
    def contiguous(self, array: Any) -> Any:
        """Returns the array with its elements in row-major order without gaps.

        Shape and dtype stay. An array that is already contiguous is returned as it is, and so is
        each array of JAX.

        Raises:
            TypeError, ValueError: PyTorch or JAX can make no array of it.

        Example:
            transposed = backend.contiguous(backend.ones(2, 3).T)
            assert tuple(transposed.shape) == (3, 2)
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
