"""Functions of the compiled module that the Python half of the package calls."""

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any

from .._core import Backend, CompiledModel, Model, Optimizer, TrainingStep
from ..per_sample import PerSample
from .types import Arrays, DTypeLike

def codegen(
    compiled: CompiledModel | PerSample,
    path: str | PathLike[str],
    *,
    data: Arrays = ...,
    validation: Arrays | None = None,
) -> None: ...
def cpu_backend(
    dtype: DTypeLike = ...,
    *,
    threads: int = 0,
    memory_limit: str | float | None = None,
    reference: bool = False,
    winograd: bool = True,
    weight_dtype: DTypeLike | None = None,
    use_amp: bool = False,
    amp_dtype: DTypeLike = ...,
) -> Backend: ...
def jax_backend(
    load: Callable[[str, list[Any], bool], Callable[[list[Any]], Any]], dtype: DTypeLike
) -> Backend: ...
def _write_wasm_loaders(
    compiled: CompiledModel, data: Arrays, folder: str | PathLike[str]
) -> None: ...
def _single_process() -> _Communicator: ...
def _torch_communicator(group: str, timeout: float, share_gpus: bool) -> _Communicator: ...
def set_limits(
    *,
    repetitions: int | None = None,
    parts: int | None = None,
    dim_terms: int | None = None,
    tuple_items: int | None = None,
) -> None: ...
def _read_onnx(
    path: str | PathLike[str],
    constants: Mapping[str, Any],
    shapes: Mapping[str, Any],
    lengths: Mapping[str, int | None],
    dtype: DTypeLike,
) -> tuple[
    Model,
    dict[str, Any],
    dict[str, str],
    dict[str, str],
    dict[str, int | None],
    dict[str, int],
]: ...
def _write_onnx(
    compiled: CompiledModel,
    path: str | PathLike[str],
    params: Mapping[str, Any],
    state: Mapping[str, Any],
    opset: int,
    external_data: bool,
    gradients: bool,
    functions: bool,
    all_values: bool,
) -> None: ...
def _write_onnx_step(
    step: TrainingStep,
    path: str | PathLike[str],
    params: Mapping[str, Any],
    opset: int,
    external_data: bool,
    functions: bool,
    all_values: bool,
) -> dict[str, Any]: ...
def _onnx_step_reference(
    step: TrainingStep,
    data: Mapping[str, Any],
    params: Mapping[str, Any],
    values: Mapping[str, Any],
) -> dict[str, Any]: ...
def _onnx_gradient_inputs(compiled: CompiledModel) -> list[str]: ...
def _onnx_reference(
    compiled: CompiledModel,
    data: Mapping[str, Any],
    params: Mapping[str, Any],
    state: Mapping[str, Any],
    gradients: bool,
    values: Mapping[str, Any],
) -> dict[str, Any]: ...
def _check_op(
    name: str,
    rows: Sequence[Mapping[str, Any]],
    hold: Sequence[str],
    away_from: Sequence[float],
    tolerance: float,
) -> None: ...

class _TensorBoard:
    def __init__(self, folder: str) -> None: ...
    def add(self, step: int, numbers: Mapping[str, float]) -> None: ...

class _Communicator:
    rank: int
    size: int
    name: str
    def all_reduce(self, data: Any, dtype: str, reduction: str) -> None: ...
    def all_gather(self, mine: bytes) -> list[bytes]: ...
    def broadcast(self, data: Any, root: int) -> None: ...
    def barrier(self) -> None: ...
    def abandon(self, reason: str) -> None: ...
    def agree(self, what: str, entries: Sequence[tuple[str, str]]) -> None: ...

def to_javascript(
    compiled: CompiledModel, path: str | PathLike[str], *, data: Arrays = ..., device: str = "cpu"
) -> None: ...
def _save_together(
    step: TrainingStep,
    path: str | PathLike[str],
    params: Mapping[str, Any],
    *,
    optimizer: Optimizer | None = None,
    state: Mapping[str, Any] | None = None,
    metadata: Mapping[str, str] | None = None,
) -> None: ...
