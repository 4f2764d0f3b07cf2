"""The backend on PyTorch, with torch tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core
from .._internal.arguments import checked, shown_options
from .._internal.arrays import makes_array, name_of_dtype
from .devices import DeviceArrays, host_memory, sizes_of
from .torch_library import import_torch

if TYPE_CHECKING:
    from collections.abc import Callable

    import torch


class TorchBackend(DeviceArrays, _core.Backend):
    """A backend that runs compiled models with PyTorch operators, on a device of PyTorch.

    Args:
        device: "cpu", "cuda" (the current GPU), "cuda:1" or "mps".
        dtype: the dtype of floats whose width the model does not fix: float16, bfloat16, float32 or
            float64, of torch or of Mithril.
        requires_grad: whether parameters are leaves of torch's autograd, which then differentiates
            the results of `evaluate`. A second derivative is an error.
        use_amp: whether to use mixed precision with the casts of torch.autocast. Parameters and
            gradients keep their dtype.
        amp_dtype: float16 or bfloat16. None: bfloat16 on the CPU, and float16 elsewhere.
        jit_compile: whether to run ops that TorchScript can express as TorchScript. `summary` of a
            compiled model lists the others.
        eager_mode: whether to run graphs op by op as they were composed, for debugging. It excludes
            `jit_compile` and `memory_efficient`.
        deterministic: whether results have the same bits from run to run. An op without a
            deterministic kernel is a BackendError.
        benchmark: whether cuDNN tries its kernels and takes the fastest one. `deterministic` takes
            precedence.
        memory_limit: "4GB" (10^9 bytes each), "4GiB" (2^30) or a number of bytes. An allocation
            beyond it raises an OutOfMemoryError. The memory of evaluations, parameters and arrays
            counts.
        memory_efficient: whether to compile every model with `use_checkpointing`.
        memory_allocation: "lazy", or "preallocate" to allocate `memory_limit` at once.
        release_unused: whether to return cached memory to the system after each evaluation.

    Raises:
        BackendError: If PyTorch is not installed, the backend is not built, or there is no such
            device.

    Example:
        backend = ml.TorchBackend(device="cpu", dtype="float32")
        compiled = ml.compile(model, backend, shapes={"x": [None, 4]})
        outputs = compiled.evaluate(compiled.get_parameters(), {"x": backend.randn(8, 4)})

    See docs/pytorch-backend.md.
    """

    @checked
    def __init__(
        self,
        device: str = "cpu",
        dtype: Any = _core.dtype.float32,
        requires_grad: bool = False,
        use_amp: bool = False,
        amp_dtype: Any = None,
        jit_compile: bool = False,
        *,
        eager_mode: bool = False,
        deterministic: bool = False,
        benchmark: bool = False,
        memory_limit: str | float | None = None,
        memory_efficient: bool = False,
        memory_allocation: str = "lazy",
        release_unused: bool = False,
    ) -> None:
        self._torch = import_torch()
        if not isinstance(device, (str, self._torch.device)):
            _core.wrong_argument("TorchBackend", "device", "the name of a device", device)
        for argument, value in (("dtype", dtype), ("amp_dtype", amp_dtype)):
            known = (str, self._torch.dtype, _core.dtype, np.dtype)
            is_default = argument == "amp_dtype" and value is None
            if not isinstance(value, known) and not is_default:
                _core.wrong_argument("TorchBackend", argument, "a dtype", value)
        # Once: `torch.cuda.set_device` does not move the backend later.
        if str(device) == "cuda" and self._torch.cuda.is_available():
            device = f"cuda:{self._torch.cuda.current_device()}"
        name = name_of_dtype(dtype)
        self._options: dict[str, Any] = {
            "device": str(device),
            "dtype": name,
            "requires_grad": requires_grad,
            "use_amp": use_amp,
            "jit_compile": jit_compile,
            "eager_mode": eager_mode,
            "memory_efficient": memory_efficient,
            "memory_allocation": memory_allocation,
            "release_unused": release_unused,
            "deterministic": deterministic,
            "benchmark": benchmark,
        }
        if memory_limit is not None:
            self._options["memory_limit"] = memory_limit
        if amp_dtype is not None:
            self._options["amp_dtype"] = name_of_dtype(amp_dtype)
        super().__init__("mithril_torch", self._options)
        self.device = self._torch.device(device)
        self.dtype = getattr(self._torch, name)
        self._generator = self._torch.Generator(device=self.device)

    def __repr__(self) -> str:
        return f"TorchBackend({shown_options(self)})"

    @classmethod
    def devices(cls) -> list[str]:
        try:
            torch = import_torch()
        except _core.BackendError:
            return []
        names = ["cpu", *(f"cuda:{i}" for i in range(torch.cuda.device_count()))]
        return [*names, "mps"] if torch.backends.mps.is_available() else names

    @property
    def default_device(self) -> str:
        """The device on which the backend runs and makes tensors.

        For "cuda" it is the GPU that was current when the backend was made, such as "cuda:0".
        """
        name = str(self.device)
        return "cuda:0" if name == "cuda" else name

    # Arrays: on the backend's device; floats in its dtype unless another is given.

    @makes_array
    def array(self, value: Any, dtype: Any = None) -> torch.Tensor:

        def make() -> torch.Tensor:
            given = value
            if isinstance(value, (float, list, tuple)):
                given = np.asarray(value)  # float64: torch would round to its default dtype
            elif isinstance(value, np.ndarray) and min(value.strides, default=0) < 0:
                given = value.copy()  # torch has no negative strides
            elif isinstance(value, np.ndarray) and value.dtype.name == "bfloat16":
                given = value.astype(np.float32)  # torch takes no bfloat16 of ml_dtypes
            made = self._torch.as_tensor(given, device=self.device)
            if dtype is not None:
                return made.to(self._torch_dtype(dtype))
            return made.to(self.dtype) if made.is_floating_point() else made

        return self._make(make)

    @makes_array
    def zeros(self, *shape: Any, dtype: Any = None) -> torch.Tensor:
        return self._make(self._torch.zeros, sizes_of(shape), **self._made(dtype))

    @makes_array
    def ones(self, *shape: Any, dtype: Any = None) -> torch.Tensor:
        return self._make(self._torch.ones, sizes_of(shape), **self._made(dtype))

    @makes_array
    def empty(self, *shape: Any, dtype: Any = None) -> torch.Tensor:
        return self._make(self._torch.empty, sizes_of(shape), **self._made(dtype))

    @makes_array
    def full(self, *shape: Any, value: Any = None, dtype: Any = None) -> torch.Tensor:
        if value is None:
            *shape, value = shape  # type: ignore[assignment]
        return self._make(self._torch.full, sizes_of(tuple(shape)), value, **self._made(dtype))

    @makes_array
    def rand(self, *shape: Any, dtype: Any = None, seed: int | None = None) -> torch.Tensor:
        return self._make(
            self._torch.rand, sizes_of(shape), **self._drawn(seed), **self._made(dtype)
        )

    @makes_array
    def randn(self, *shape: Any, dtype: Any = None, seed: int | None = None) -> torch.Tensor:
        return self._make(
            self._torch.randn, sizes_of(shape), **self._drawn(seed), **self._made(dtype)
        )

    @makes_array
    def randint(
        self, low: int, high: int, *shape: Any, dtype: Any = None, seed: int | None = None
    ) -> torch.Tensor:
        made = self._made(dtype if dtype is not None else self._torch.int64)
        return self._make(
            self._torch.randint, low, high, sizes_of(shape), **self._drawn(seed), **made
        )

    @makes_array
    def arange(self, *bounds: Any, dtype: Any = None) -> torch.Tensor:
        if dtype is None and all(isinstance(bound, int) for bound in bounds):
            dtype = self._torch.int64
        made = self._made(dtype)
        if str(made["dtype"]) in ("torch.uint16", "torch.uint32", "torch.uint64"):
            return self.arange(*bounds, dtype=self._torch.int64).to(made["dtype"])
        return self._make(self._torch.arange, *bounds, **made)

    @makes_array
    def manual_seed(self, seed: int) -> None:
        self._generator.manual_seed(seed)

    # Torch's own tensors.

    @makes_array
    def from_torch(self, tensor: torch.Tensor) -> torch.Tensor:
        """Returns the tensor on the device of the backend, with the same shape and dtype.

        A tensor that is already there is returned as it is.

        Raises:
            TypeError: If the argument is not a tensor of torch.

        Example:
            import torch

            backend = ml.TorchBackend()
            tensor = backend.from_torch(torch.ones(2, 3))
        """
        return tensor.to(self.device)

    @makes_array
    def to_torch(self, tensor: Any) -> torch.Tensor:
        """Returns a result of `evaluate` or a DLPack object as a torch tensor, without a copy.

        The tensor has the same shape and dtype.

        Raises:
            ValueError: If it is neither a tensor nor a DLPack object.

        Example:
            tensor = ml.TorchBackend().to_torch(data["x"])
            assert tensor.shape == (8, 4)
        """
        if isinstance(tensor, self._torch.Tensor):
            return tensor
        return self._torch.from_dlpack(tensor)

    @makes_array
    def contiguous(self, array: Any) -> torch.Tensor:
        return self._torch.as_tensor(array).contiguous()

    def _memory_of(self, device: str) -> tuple[int | None, int | None]:
        if device == "cpu":
            return host_memory()
        if device == "mps":
            return None, None  # torch does not say
        free, total = self._torch.cuda.mem_get_info(self._torch.device(device))
        return total, free

    def _moved(self, array: Any, device: str) -> torch.Tensor:
        if device == "cpu" and type(array) is np.ndarray:
            return self._torch.from_numpy(array)  # shares the elements: there is nothing to count
        return self._make(self._torch.as_tensor, array, device=device)

    def _make(self, fn: Callable[..., torch.Tensor], *args: Any, **options: Any) -> torch.Tensor:
        """Calls fn(*args, **options) and counts the result as memory of the backend."""
        made: torch.Tensor = self._counted(fn, *args, **options)
        return made

    def _torch_dtype(self, dtype: Any) -> Any:
        if isinstance(dtype, self._torch.dtype):
            return dtype
        return getattr(self._torch, name_of_dtype(dtype))

    def _made(self, dtype: Any) -> dict[str, Any]:
        chosen = self.dtype if dtype is None else self._torch_dtype(dtype)
        return {"dtype": chosen, "device": self.device}

    def _drawn(self, seed: int | None) -> dict[str, Any]:
        if seed is None:
            return {"generator": self._generator}
        generator = self._torch.Generator(device=self.device)
        generator.manual_seed(seed)
        return {"generator": generator}
