"""The backend for the CPU, with NumPy arrays."""

from __future__ import annotations

import operator
from typing import Any, cast

import numpy as np

from .. import _core
from .._internal.arguments import checked, shown_options
from .._internal.arrays import makes_array, name_of_dtype, numpy_array
from .devices import DeviceArrays, host_memory
from .devices import sizes_of as _shape

Array = np.ndarray[Any, Any]


class CpuBackend(DeviceArrays, _core.Backend):
    """A backend that runs compiled models on the CPU of this process.

    Its methods `array`, `zeros`, `randn` and others make NumPy arrays. NumPy has no bfloat16, so
    arrays of bfloat16 are instances of `ml.Tensor`.

    Args:
        dtype: the dtype of floats whose width the model does not fix.
        threads: the maximum number of threads of an evaluation. 0: one for each processor.
        memory_limit: "4GB", "4GiB" or a number of bytes. An evaluation that needs more is refused.
        reference: whether to run the reference implementation of each op, which is slow.
        winograd: whether float32 convolutions with 3 x 3 windows and bound weights may use
            Winograd's algorithm, which is faster, with a relative error of about 3e-6 instead of
            1e-6.
        weight_dtype: bfloat16 or float16, in which bound float32 weights of matrix products are
            stored. None: they stay float32.
        use_amp: whether to use mixed precision: products and convolutions run in `amp_dtype`, and
            ops that lose accuracy run in float32. Parameters, gradients and results keep their
            dtype.
        amp_dtype: bfloat16 or float16.

    Example:
        backend = ml.CpuBackend(dtype=ml.float32, threads=4)
        compiled = ml.compile(model, backend, shapes={"x": [None, 4]})
        outputs = compiled.evaluate(compiled.get_parameters(), {"x": backend.randn(8, 4, seed=0)})

    See docs/cpu-backend.md.
    """

    @checked
    def __init__(
        self,
        dtype: Any = _core.dtype.float32,
        *,
        threads: int = 0,
        memory_limit: Any = None,
        reference: bool = False,
        winograd: bool = True,
        weight_dtype: Any = None,
        use_amp: bool = False,
        amp_dtype: Any = _core.dtype.bfloat16,
    ) -> None:
        self._options = {
            "dtype": dtype,
            "threads": threads,
            "memory_limit": memory_limit,
            "reference": reference,
            "winograd": winograd,
            "weight_dtype": weight_dtype,
            "use_amp": use_amp,
            "amp_dtype": amp_dtype,
        }
        super().__init__(_core.cpu_backend(**self._options))
        self.dtype = dtype
        self._generator = _generator(0)

    def __repr__(self) -> str:
        return f"CpuBackend({shown_options(self)})"

    @classmethod
    def devices(cls) -> list[str]:
        return ["cpu"]

    @property
    def default_device(self) -> str:
        """The device on which the backend runs and makes arrays: "cpu"."""
        return "cpu"

    # Arrays; shapes are given as numbers or as one tuple. NumPy lacks bfloat16: arrays of it are
    # tensors of Mithril.

    @makes_array
    def array(self, value: Any, dtype: Any = None) -> Array:
        made: Array = numpy_array(value)
        if dtype is None and not np.issubdtype(made.dtype, np.floating):
            return made
        return self._typed(made, dtype)

    @makes_array
    def zeros(self, *shape: Any, dtype: Any = None) -> Array:
        return self._typed(np.zeros(_shape(shape), self._numpy_dtype(dtype)), dtype)

    @makes_array
    def ones(self, *shape: Any, dtype: Any = None) -> Array:
        return self._typed(np.ones(_shape(shape), self._numpy_dtype(dtype)), dtype)

    @makes_array
    def empty(self, *shape: Any, dtype: Any = None) -> Array:
        return self._typed(np.empty(_shape(shape), self._numpy_dtype(dtype)), dtype)

    @makes_array
    def full(self, *shape: Any, value: Any = None, dtype: Any = None) -> Array:
        if value is None:
            *shape, value = shape  # type: ignore[assignment]
        return self._typed(np.full(_shape(tuple(shape)), value, self._numpy_dtype(dtype)), dtype)

    @makes_array
    def rand(self, *shape: Any, dtype: Any = None, seed: int | None = None) -> Array:
        return self._typed(self._drawn(seed).random(_shape(shape)), dtype)

    @makes_array
    def randn(self, *shape: Any, dtype: Any = None, seed: int | None = None) -> Array:
        return self._typed(self._drawn(seed).standard_normal(_shape(shape)), dtype)

    @makes_array
    def randint(
        self, low: int, high: int, *shape: Any, dtype: Any = None, seed: int | None = None
    ) -> Array:
        made = self._drawn(seed).integers(low, high, _shape(shape))
        return made if dtype is None else self._typed(made, dtype)

    @makes_array
    def arange(self, *bounds: Any, dtype: Any = None) -> Array:
        if dtype is None and all(isinstance(bound, int) for bound in bounds):
            return np.arange(*bounds, dtype=np.int64)
        return self._typed(np.arange(*bounds, dtype=self._numpy_dtype(dtype)), dtype)

    @makes_array
    def manual_seed(self, seed: int) -> None:
        self._generator = _generator(seed)

    @makes_array
    def contiguous(self, array: Any) -> Array:
        if isinstance(array, _core.Tensor):
            return cast("Array", array)
        made = np.asarray(array)
        return made if made.flags.c_contiguous else np.array(made, order="C")

    def _memory_of(self, device: str) -> tuple[int | None, int | None]:
        return host_memory()

    def _moved(self, array: Any, device: str) -> Array:
        return cast("Array", array) if isinstance(array, _core.Tensor) else np.asarray(array)

    def _numpy_dtype(self, dtype: Any) -> np.dtype[Any]:
        name = self._name_of(dtype)
        return np.dtype("float32" if name == "bfloat16" else name)

    def _name_of(self, dtype: Any) -> str:
        return name_of_dtype(self.dtype if dtype is None else dtype)

    def _typed(self, made: Array, dtype: Any) -> Array:
        if self._name_of(dtype) == "bfloat16":
            return cast("Array", _core.Tensor(made, "bfloat16"))
        return made.astype(self._numpy_dtype(dtype), copy=False)

    def _drawn(self, seed: int | None) -> np.random.Generator:
        return self._generator if seed is None else _generator(seed)


def _generator(seed: int) -> np.random.Generator:
    # NumPy also takes nested sequences, and crashes if they are nested too deep.
    return np.random.default_rng(operator.index(seed))
