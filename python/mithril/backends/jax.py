"""The backend on JAX, which runs graphs as Python modules that the core writes."""

from __future__ import annotations

import importlib
import itertools
import linecache
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core
from .._core import raise_error, wrong_argument
from .._internal.arguments import checked, shown_options
from .._internal.arrays import makes_array, name_of_dtype, name_of_library, numpy_array
from .devices import DeviceArrays, host_memory, sizes_of

if TYPE_CHECKING:
    from collections.abc import Callable

_numbers = itertools.count(1)
PLATFORMS = ("cpu", "gpu", "tpu")


def import_jax() -> Any:
    """Imports jax. Raises BackendError E1036 if it is not installed."""
    try:
        return importlib.import_module("jax")
    except ImportError as error:
        raise_error(
            "BackendError",
            "E1036",
            "JaxBackend needs JAX, which is not installed",
            facts=[("why", str(error))],
            help="install it: pip install jax",
        )
        raise AssertionError from error


def module_of(source: str) -> dict[str, Any]:
    """Returns the names of a module that the core has written. Tracebacks show its lines."""
    name = f"<module {next(_numbers)} of JaxBackend>"
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    names: dict[str, Any] = {}
    exec(compile(source, name, "exec"), names)
    return names


def _devices_of(jax: Any) -> list[Any]:
    found: list[Any] = []
    for platform in PLATFORMS:
        try:
            found += jax.devices(platform)
        except RuntimeError:
            continue  # JAX has no such platform here
    return found


def _sizes_of(shape: tuple[Any, ...]) -> tuple[int, ...]:
    """Returns the sizes. JAX has no error of its own for random numbers of negative sizes."""
    sizes = sizes_of(shape)
    if min(sizes, default=0) < 0:
        raise ValueError(f"negative sizes: {sizes}")
    return sizes


def _device_name(device: Any) -> str:
    """Returns "cpu" or a name such as "gpu:0"."""
    return str(device.platform) if device.platform == "cpu" else f"{device.platform}:{device.id}"


class JaxBackend(DeviceArrays, _core.Backend):
    """A backend that runs compiled models on JAX, each graph as one jitted function.

    Values, gradients and training steps follow the same rules as on the other backends. Inputs may
    be arrays of JAX or NumPy. Results are NumPy arrays, which jax.numpy and optax accept. On the
    CPU they share the memory of JAX. int64 and float64 keep their width, whether or not
    jax_enable_x64 is set.

    Args:
        dtype: the dtype of floats whose width the model does not fix: float16, bfloat16, float32 or
            float64.
        device: a platform of JAX: "cpu", "gpu" or "tpu". None: the default device of JAX.

    Raises:
        BackendError: If JAX is not installed, or it has no such device.

    Example:
        compiled = ml.compile(model, ml.JaxBackend(), shapes={"x": [None, 4]})
        outputs = compiled.evaluate(compiled.get_parameters(), {"x": data["x"]})

    See docs/jax.md.
    """

    @checked
    def __init__(self, dtype: Any = _core.dtype.float32, *, device: str | None = None) -> None:
        self._jax = import_jax()
        self._options: dict[str, Any] = {"dtype": dtype, "device": device}
        self._device = None if device is None else self._found(device)
        super().__init__(_core.jax_backend(self._load, dtype))
        self.dtype = dtype
        self._key: Any = None  # of random numbers, made for the first ones

    def __repr__(self) -> str:
        return f"JaxBackend({shown_options(self)})"

    @classmethod
    def devices(cls) -> list[str]:
        try:
            jax = import_jax()
        except _core.BackendError:
            return []
        return list(dict.fromkeys(_device_name(device) for device in _devices_of(jax)))

    @property
    def default_device(self) -> str:
        """The device of the constructor, or JAX's default device."""
        return _device_name(self._device or self._jax.devices()[0])

    # Arrays of JAX: floats in the backend's dtype unless another is given.

    @makes_array
    def array(self, value: Any, dtype: Any = None) -> Any:
        with self._settings():
            given = numpy_array(value) if name_of_library(value) == "torch" else value
            made = self._jax.numpy.asarray(given)
            if dtype is None and not self._jax.numpy.issubdtype(made.dtype, np.floating):
                return made
            return made.astype(self._numpy_dtype(dtype))

    @makes_array
    def zeros(self, *shape: Any, dtype: Any = None) -> Any:
        return self.full(*shape, value=0, dtype=dtype)

    @makes_array
    def ones(self, *shape: Any, dtype: Any = None) -> Any:
        return self.full(*shape, value=1, dtype=dtype)

    @makes_array
    def full(self, *shape: Any, value: Any = None, dtype: Any = None) -> Any:
        if value is None:
            *shape, value = shape  # type: ignore[assignment]
        with self._settings():
            return self._jax.numpy.full(_sizes_of(tuple(shape)), value, self._numpy_dtype(dtype))

    @makes_array
    def empty(self, *shape: Any, dtype: Any = None) -> Any:
        return self.zeros(*shape, dtype=dtype)

    @makes_array
    def rand(self, *shape: Any, dtype: Any = None, seed: int | None = None) -> Any:
        with self._settings():
            key, chosen = self._drawn(seed), self._numpy_dtype(dtype)
            return self._jax.random.uniform(key, _sizes_of(shape), chosen)

    @makes_array
    def randn(self, *shape: Any, dtype: Any = None, seed: int | None = None) -> Any:
        with self._settings():
            key, chosen = self._drawn(seed), self._numpy_dtype(dtype)
            return self._jax.random.normal(key, _sizes_of(shape), chosen)

    @makes_array
    def randint(
        self, low: int, high: int, *shape: Any, dtype: Any = None, seed: int | None = None
    ) -> Any:
        chosen = np.dtype(np.int64) if dtype is None else self._numpy_dtype(dtype)
        with self._settings():
            return self._jax.random.randint(self._drawn(seed), _sizes_of(shape), low, high, chosen)

    @makes_array
    def arange(self, *bounds: Any, dtype: Any = None) -> Any:
        of_ints = dtype is None and all(isinstance(bound, int) for bound in bounds)
        chosen = np.dtype(np.int64) if of_ints else self._numpy_dtype(dtype)
        with self._settings():
            return self._jax.numpy.arange(*bounds, dtype=chosen)

    @makes_array
    def manual_seed(self, seed: int) -> None:
        with self._settings():
            self._key = self._jax.random.key(seed)

    @makes_array
    def contiguous(self, array: Any) -> Any:
        with self._settings():
            return self._jax.numpy.asarray(array)

    def _drawn(self, seed: int | None) -> Any:
        """Returns the key of the next random numbers."""
        if seed is not None:
            return self._jax.random.key(seed)
        known = self._jax.random.key(0) if self._key is None else self._key
        self._key, key = self._jax.random.split(known)
        return key

    def _memory_of(self, device: str) -> tuple[int | None, int | None]:
        if device.startswith("cpu"):
            return host_memory()
        statistics = self._device_named(device).memory_stats() or {}
        total, used = statistics.get("bytes_limit"), statistics.get("bytes_in_use")
        return total, None if total is None or used is None else total - used

    def _moved(self, array: Any, device: str) -> Any:
        with self._settings():
            return self._jax.device_put(array, self._device_named(device))

    def _device_named(self, name: str) -> Any:
        return next(device for device in _devices_of(self._jax) if _device_name(device) == name)

    def _numpy_dtype(self, dtype: Any) -> Any:
        return np.dtype(name_of_dtype(self.dtype if dtype is None else dtype))

    def _found(self, device: Any) -> Any:
        if not isinstance(device, str):
            wrong_argument("JaxBackend", "device", "the name of a platform of JAX", device)
        try:
            return self._jax.devices(device)[0]
        except RuntimeError as error:
            message, why = f"there is no device '{device}'", str(error).split("\n", maxsplit=1)[0]
            raise_error("BackendError", "E1005", message, facts=[("why", why)])

    def _settings(self) -> Any:
        """Returns a context with the settings in which arrays are made and graphs run."""
        jax = self._jax
        stack = ExitStack()
        stack.enter_context(jax.enable_x64(True))
        stack.enter_context(jax.default_device(self._device))
        return stack

    def _load(self, source: str, constants: list[Any], jit: bool) -> Callable[[list[Any]], Any]:
        """Returns the function of a graph, from its module and its constants."""
        run = module_of(source)["run"]
        run = self._jax.jit(run) if jit else run
        with self._settings():
            kept = [self._given(constant) for constant in constants]

        def call(inputs: list[Any]) -> list[Any]:
            with self._settings():
                made = run([self._given(tensor) for tensor in inputs], kept)
                return [np.asarray(result) for result in made]

        return call

    def _given(self, value: Any) -> Any:
        """Returns an array of JAX. Tensors of bfloat16, which NumPy lacks, come by DLPack."""
        if isinstance(value, np.ndarray):
            return self._jax.numpy.asarray(value)
        return self._jax.numpy.from_dlpack(value)
