"""The backend on JAX: it runs graphs through the modules that the core writes."""

from __future__ import annotations

import importlib
import itertools
import linecache
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._core import raise_error, wrong_argument
from .arrays import makes_array
from .calls import checked, shown_options

if TYPE_CHECKING:
    from collections.abc import Callable

_numbers = itertools.count(1)


def import_jax() -> Any:
    """jax; BackendError E1036 where it is not installed."""
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
    """The names of a module that the core has written. Tracebacks show its lines."""
    name = f"<module {next(_numbers)} of JaxBackend>"
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    names: dict[str, Any] = {}
    exec(compile(source, name, "exec"), names)
    return names


class JaxBackend(_core.Backend):
    """Runs compiled models on JAX: each graph is one jitted function.

    Values, gradients and training steps are the same graphs as on the other backends, so they
    follow the same rules. Inputs may be arrays of JAX or NumPy. Results are NumPy arrays, which
    share the memory of JAX on the CPU, and which jax.numpy and optax take. Ints of 64 bits and
    float64 keep their width, whether or not jax_enable_x64 is set.

    Args:
        dtype: of floats that nothing else decides: float16, bfloat16, float32 or float64.
        device: a platform of JAX, "cpu", "gpu" or "tpu"; None for JAX's default device.

    Example:
        compiled = ml.compile(model, ml.JaxBackend())
    """

    @checked
    def __init__(self, dtype: Any = _core.dtype.float32, *, device: str | None = None) -> None:
        self._jax = import_jax()
        self._options: dict[str, Any] = {"dtype": dtype, "device": device}
        self._device = None if device is None else self._found(device)
        super().__init__(_core.jax_backend(self._load, dtype))
        self.dtype = dtype

    def __repr__(self) -> str:
        return f"JaxBackend({shown_options(self)})"

    # ---- arrays of JAX: floats in the backend's dtype unless another is given ----

    @makes_array
    def array(self, value: Any, dtype: Any = None) -> Any:
        """An array of the numbers."""
        with self._settings():
            made = self._jax.numpy.asarray(value)
            if dtype is None and not self._jax.numpy.issubdtype(made.dtype, np.floating):
                return made
            return made.astype(self._numpy_dtype(dtype))

    @makes_array
    def zeros(self, *shape: Any, dtype: Any = None) -> Any:
        """All elements 0."""
        return self.full(*shape, value=0, dtype=dtype)

    @makes_array
    def ones(self, *shape: Any, dtype: Any = None) -> Any:
        """All elements 1."""
        return self.full(*shape, value=1, dtype=dtype)

    @makes_array
    def full(self, *shape: Any, value: Any = None, dtype: Any = None) -> Any:
        """full(2, 3, value=1.0) or full((2, 3), 1.0)."""
        if value is None:
            *shape, value = shape  # type: ignore[assignment]
        sizes = shape[0] if len(shape) == 1 and not isinstance(shape[0], int) else tuple(shape)
        with self._settings():
            return self._jax.numpy.full(sizes, value, self._numpy_dtype(dtype))

    def _numpy_dtype(self, dtype: Any) -> Any:
        given = self.dtype if dtype is None else dtype
        return np.dtype(given.name if isinstance(given, _core.dtype) else given)

    # ---- running ----

    def _found(self, device: Any) -> Any:
        if not isinstance(device, str):
            wrong_argument("JaxBackend", "device", "the name of a platform of JAX", device)
        try:
            return self._jax.devices(device)[0]
        except RuntimeError as error:
            message, why = f"there is no device '{device}'", str(error).split("\n", maxsplit=1)[0]
            raise_error("BackendError", "E1005", message, facts=[("why", why)])

    def _settings(self) -> Any:
        """What is in force while arrays are made and graphs run."""
        jax = self._jax
        stack = ExitStack()
        stack.enter_context(jax.enable_x64(True))
        stack.enter_context(jax.default_device(self._device))
        return stack

    def _load(self, source: str, constants: list[Any], jit: bool) -> Callable[[list[Any]], Any]:
        """The function of a graph, from its module and its constants."""
        run = module_of(source)["run"]
        run = self._jax.jit(run) if jit else run
        with self._settings():
            kept = [self._given(each) for each in constants]

        def call(inputs: list[Any]) -> list[Any]:
            with self._settings():
                made = run([self._given(each) for each in inputs], kept)
                return [np.asarray(each) for each in made]

        return call

    def _given(self, value: Any) -> Any:
        """An array of JAX. NumPy has no bfloat16, so that tensors of it come by DLPack."""
        if isinstance(value, np.ndarray):
            return self._jax.numpy.asarray(value)
        return self._jax.numpy.from_dlpack(value)
