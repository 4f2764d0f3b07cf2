"""The types of the compiled module."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from types import EllipsisType
from typing import Any, Literal, overload

from typing_extensions import Self, Unpack

from ._stubs.connection import Connection as Connection
from ._stubs.connection import IOKey as IOKey
from ._stubs.derivatives import Gradient as Gradient
from ._stubs.derivatives import Hessian as Hessian
from ._stubs.derivatives import Hvp as Hvp
from ._stubs.derivatives import Jacobian as Jacobian
from ._stubs.derivatives import Jvp as Jvp
from ._stubs.derivatives import gradient as gradient
from ._stubs.derivatives import hessian as hessian
from ._stubs.derivatives import hvp as hvp
from ._stubs.derivatives import jacobian as jacobian
from ._stubs.derivatives import jvp as jvp
from ._stubs.edits import EditableModel as EditableModel
from ._stubs.engine import Engine as Engine
from ._stubs.engine import PendingAnswer as PendingAnswer
from ._stubs.errors import *  # noqa: F403
from ._stubs.functions import _check_op as _check_op
from ._stubs.functions import _Communicator as _Communicator
from ._stubs.functions import _onnx_gradient_inputs as _onnx_gradient_inputs
from ._stubs.functions import _onnx_reference as _onnx_reference
from ._stubs.functions import _onnx_step_reference as _onnx_step_reference
from ._stubs.functions import _read_onnx as _read_onnx
from ._stubs.functions import _save_together as _save_together
from ._stubs.functions import _single_process as _single_process
from ._stubs.functions import _TensorBoard as _TensorBoard
from ._stubs.functions import _torch_communicator as _torch_communicator
from ._stubs.functions import _write_onnx as _write_onnx
from ._stubs.functions import _write_onnx_step as _write_onnx_step
from ._stubs.functions import _write_wasm_loaders as _write_wasm_loaders
from ._stubs.functions import codegen as codegen
from ._stubs.functions import cpu_backend as cpu_backend
from ._stubs.functions import jax_backend as jax_backend
from ._stubs.functions import set_limits as set_limits
from ._stubs.functions import to_javascript as to_javascript
from ._stubs.generation import generate as generate
from ._stubs.handles import Backend as Backend
from ._stubs.handles import Call as Call
from ._stubs.handles import HookHandle as HookHandle
from ._stubs.handles import Initializer as Initializer
from ._stubs.handles import LossScale as LossScale
from ._stubs.handles import MemoryHookHandle as MemoryHookHandle
from ._stubs.handles import Part as Part
from ._stubs.handles import RandomKey as RandomKey
from ._stubs.handles import Sharded as Sharded
from ._stubs.handles import Solver as Solver
from ._stubs.handles import View as View
from ._stubs.handles import _Package as _Package
from ._stubs.handles import _PerSample as _PerSample
from ._stubs.handles import _ViewOptions as _ViewOptions
from ._stubs.handles import dtype as dtype
from ._stubs.loops import Cond as Cond
from ._stubs.loops import Scan as Scan
from ._stubs.loops import While as While
from ._stubs.metrics import Accuracy as Accuracy
from ._stubs.metrics import AreaUnderCurve as AreaUnderCurve
from ._stubs.metrics import Evaluator as Evaluator
from ._stubs.metrics import F1Score as F1Score
from ._stubs.metrics import MeanSquaredError as MeanSquaredError
from ._stubs.metrics import ModelScore as ModelScore
from ._stubs.metrics import Perplexity as Perplexity
from ._stubs.metrics import TopKAccuracy as TopKAccuracy
from ._stubs.optimizers import EMA as EMA
from ._stubs.optimizers import LBFGS as LBFGS
from ._stubs.optimizers import SWA as SWA
from ._stubs.optimizers import ConstantSchedule as ConstantSchedule
from ._stubs.optimizers import CosineSchedule as CosineSchedule
from ._stubs.optimizers import LinearSchedule as LinearSchedule
from ._stubs.optimizers import OneCycleSchedule as OneCycleSchedule
from ._stubs.optimizers import Optimizer as Optimizer
from ._stubs.optimizers import ParameterGroup as ParameterGroup
from ._stubs.optimizers import Plateau as Plateau
from ._stubs.optimizers import StepSchedule as StepSchedule
from ._stubs.optimizers import TrainingStep as TrainingStep
from ._stubs.profile import MemoryTimeline as MemoryTimeline
from ._stubs.profile import Profile as Profile
from ._stubs.profile import profile as profile
from ._stubs.tensor import Tensor as Tensor
from ._stubs.types import Array, Arrays, Binding, Key, Keys, Outputs, PortType, Shape
from ._stubs.types import Value as Value
from ._stubs.vmap import vmap as vmap
from .distributed import Group
from .files import WeightReport, WeightSource

__version__: str

class Model:
    def __init__(self, name: str | Model | None = None) -> None: ...
    @staticmethod
    def create(*only: Connection, **outputs: Connection) -> Model: ...
    def __call__(self, *inputs: Binding, **ports: Binding) -> Any: ...
    def connect(self, *inputs: Binding, **ports: Binding) -> Call: ...
    def __ior__(self, part: Call | Model | Connection) -> Self: ...
    def __iadd__(self, part: Call | Model | Connection) -> Self: ...
    def __getattr__(self, key: str) -> Any: ...
    __dlpack_device__: None  # not a key: a model is not a tensor
    def __getitem__(self, key: str) -> Connection | Any: ...  # the Part of a path
    def add_input(self, key: str) -> Connection: ...
    def copy(self) -> Self: ...
    def shared(self) -> Self: ...
    @property
    def input_keys(self) -> list[str]: ...
    @property
    def output_keys(self) -> list[str]: ...
    @property
    def cin(self) -> Connection: ...
    @property
    def cout(self) -> Connection: ...
    @property
    def cins(self) -> list[Connection]: ...
    @property
    def couts(self) -> list[Connection]: ...
    @property
    def name(self) -> str: ...
    @property
    def class_name(self) -> str: ...
    @property
    def _revision(self) -> int: ...
    def expose_keys(self, *keys: str, **named: Key) -> None: ...
    def rename_key(self, key: str, name: str) -> Model: ...
    def set_cin(self, *keys: Key) -> None: ...
    def set_cout(self, *keys: Key) -> None: ...
    def merge_connections(self, *connections: Key, name: str = "") -> None: ...
    def set_shapes(self, shapes: Mapping[str, Shape] = ..., **named: Shape) -> None: ...
    def set_types(self, types: Mapping[str, PortType] = ..., **named: PortType) -> None: ...
    def set_values(
        self, values: Mapping[str, Value | Array] = ..., **named: Value | Array
    ) -> None: ...
    def set_differentiability(self, keys: Mapping[str, bool] = ..., **named: bool) -> None: ...
    def bind_state_keys(
        self, input: str, output: str, initial_value: Array | RandomKey
    ) -> None: ...
    def set_initializer(
        self, key: str, initializer: Initializer | Callable[[tuple[int, ...], int], Any]
    ) -> None: ...
    def add_constraint(self, fn: Callable[[Solver], bool | None], keys: str | Keys) -> None: ...
    def get_shapes(self) -> dict[str, list[int | str | EllipsisType | None]]: ...
    def to_json(self) -> str: ...
    @staticmethod
    def from_json(text: str) -> Model: ...
    def __eq__(self, other: object) -> bool: ...
    def __hash__(self) -> int: ...
    def summary(self, shapes: bool = True, types: bool = False, depth: int = 0) -> str: ...
    @property
    def parts(self) -> dict[str, Part]: ...
    def walk(self) -> list[Part]: ...
    def find(self, what: type[Model] | str) -> list[Part]: ...
    def _repr_html_(self) -> str: ...
    def view(self, params: Arrays | None = None, **options: Unpack[_ViewOptions]) -> View: ...
    def edit(self) -> EditableModel: ...
    def count_parameters(self, shapes: Mapping[str, Shape] = ...) -> int: ...
    def cost(self, shapes: Mapping[str, Shape] = ...) -> dict[str, Any]: ...
    def _set_size_advice(self, text: str) -> None: ...

class TrainModel(Model):
    def __init__(self, model: Model) -> None: ...
    def add_loss(
        self,
        loss: Model,
        reduce_steps: Sequence[Model] | None = None,
        key_name: str | None = None,
        coef: Array | None = None,
        sample_weight: Binding | None = None,
        **ports: Binding,
    ) -> None: ...
    def add_regularization(
        self,
        model: Model,
        coef: Array,
        reg_key: str | None = None,
        key_name: str | None = None,
        **ports: Binding,
    ) -> None: ...
    def add_metric(
        self,
        model: Model,
        reduce_steps: Sequence[Model] | None = None,
        key_name: str | None = None,
        **ports: Binding,
    ) -> None: ...
    def set_loss_combiner(self, model: Model) -> None: ...

def host_memory(cgroup: str) -> tuple[int | None, int | None]: ...
def use_bridge(capsule: object) -> None: ...

class CompiledModel:
    _changes_state: bool
    def _repr_html_(self) -> str: ...
    @overload
    def evaluate(
        self,
        params: Arrays,
        data: Arrays = ...,
        output_gradients: None = ...,
        state: None = ...,
        *,
        outputs: Outputs = ...,
        gradient_keys: None = ...,
    ) -> dict[str, Any]: ...
    @overload
    def evaluate(
        self,
        params: Arrays,
        data: Arrays = ...,
        *,
        output_gradients: Arrays | Literal[True],
        state: None = ...,
        outputs: Outputs = ...,
        gradient_keys: Outputs = ...,
    ) -> tuple[dict[str, Any], dict[str, Any]]: ...
    @overload
    def evaluate(
        self,
        params: Arrays,
        data: Arrays = ...,
        output_gradients: None = ...,
        *,
        state: Arrays,
        outputs: Outputs = ...,
        gradient_keys: None = ...,
    ) -> tuple[dict[str, Any], dict[str, Any]]: ...
    @overload
    def evaluate(
        self,
        params: Arrays,
        data: Arrays = ...,
        *,
        output_gradients: Arrays | Literal[True],
        state: Arrays,
        outputs: Outputs = ...,
        gradient_keys: Outputs = ...,
    ) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]: ...
    def infer(
        self,
        params: Arrays,
        data: Arrays = ...,
        state: Arrays = ...,
        *,
        outputs: Outputs = None,
    ) -> dict[str, Any]: ...
    def in_inference(self, *, outputs: Outputs = None) -> CompiledModel: ...
    def save_torchscript(self, path: str, params: Arrays, data: Arrays = ...) -> None: ...
    def bind(
        self, params: Arrays, state: Arrays | None = None, *, outputs: Outputs = None
    ) -> CompiledModel: ...
    def for_inference(
        self, params: Arrays, state: Arrays = ..., *, outputs: Outputs = None
    ) -> CompiledModel: ...
    def register_hook(
        self, path: str, fn: Callable[[Any], object], *, gradient: bool = False
    ) -> HookHandle: ...
    def get_parameters(self, seed: int = 0) -> dict[str, Any]: ...
    def randomize_params(self, seed: int = 0) -> dict[str, Any]: ...
    @overload
    def load_state_dict(
        self,
        saved: Arrays | str | PathLike[str],
        *,
        strict: bool = True,
        prefix: str = "",
        name_map: Mapping[str, str | Sequence[str] | WeightSource] | None = None,
        ignore: Sequence[str] = (),
        return_state: Literal[False] = False,
        return_report: Literal[False] = False,
    ) -> dict[str, Any]: ...
    @overload
    def load_state_dict(
        self,
        saved: Arrays | str | PathLike[str],
        *,
        strict: bool = True,
        prefix: str = "",
        name_map: Mapping[str, str | Sequence[str] | WeightSource] | None = None,
        ignore: Sequence[str] = (),
        return_state: Literal[True],
        return_report: Literal[False] = False,
    ) -> tuple[dict[str, Any], dict[str, Any]]: ...
    @overload
    def load_state_dict(
        self,
        saved: Arrays | str | PathLike[str],
        *,
        strict: bool = True,
        prefix: str = "",
        name_map: Mapping[str, str | Sequence[str] | WeightSource] | None = None,
        ignore: Sequence[str] = (),
        return_state: Literal[False] = False,
        return_report: Literal[True],
    ) -> tuple[dict[str, Any], WeightReport]: ...
    @overload
    def load_state_dict(
        self,
        saved: Arrays | str | PathLike[str],
        *,
        strict: bool = True,
        prefix: str = "",
        name_map: Mapping[str, str | Sequence[str] | WeightSource] | None = None,
        ignore: Sequence[str] = (),
        return_state: Literal[True],
        return_report: Literal[True],
    ) -> tuple[dict[str, Any], dict[str, Any], WeightReport]: ...
    @property
    def initial_state_dict(self) -> dict[str, Any]: ...
    @property
    def warnings(self) -> list[str]: ...
    @property
    def backend(self) -> Backend: ...
    @property
    def group(self) -> Group | None: ...
    @property
    def data_group(self) -> Group | None: ...
    @property
    def sharded_keys(self) -> list[str]: ...
    def gather_parameters(self, params: Arrays) -> dict[str, Any]: ...
    def shard_parameters(self, params: Arrays) -> dict[str, Any]: ...
    @property
    def replicated_keys(self) -> list[str]: ...
    @property
    def input_keys(self) -> list[str]: ...
    @property
    def parameter_keys(self) -> list[str]: ...
    @property
    def frozen_keys(self) -> list[str]: ...
    @property
    def unread_parameter_keys(self) -> list[str]: ...
    @property
    def data_keys(self) -> list[str]: ...
    @property
    def output_keys(self) -> list[str]: ...
    @property
    def shapes(self) -> dict[str, list[int | str | None]]: ...
    def summary(self) -> str: ...
    def memory_timeline(self, data: Arrays = ..., *, gradients: bool = False) -> MemoryTimeline: ...
    def _copy(self) -> CompiledModel: ...

def compile(
    model: Model,
    backend: Backend | None = None,
    *,
    backends: Mapping[str, Backend] | None = None,
    shapes: Mapping[Any, Shape] | None = None,
    types: Mapping[Any, PortType] | None = None,
    data_keys: Keys | None = None,
    constant_keys: Mapping[Any, Value | Array] | None = None,
    trainable_keys: Keys | None = None,
    frozen: str | Iterable[str] | None = None,
    discard_keys: Keys | None = None,
    outputs: str | Keys | None = None,
    inference: bool = False,
    jit: bool = True,
    use_short_namings: bool = False,
    file_path: str | PathLike[str] | None = None,
    safe_shapes: bool = True,
    use_checkpointing: bool = False,
    debug: bool = False,
    quiet: bool = False,
    optimization_level: Literal["none", "standard", "max", "default"] = "standard",
    cache: bool = False,
    group: Group | None = None,
    replicated_keys: str | Iterable[str] | None = None,
    optimizer_state: Literal["replicated", "sharded"] = "replicated",
    placements: Mapping[str, Sharded] | None = None,
    mesh: Mapping[str, int] | None = None,
    bucket_bytes: int = 26214400,
) -> CompiledModel: ...
def to_jax(compiled: CompiledModel, path: str | PathLike[str]) -> None: ...
def write_web_driver(folder: str | PathLike[str]) -> None: ...
def _wasm_compiler() -> tuple[list[str], str]: ...
def _wasm_source(compiled: CompiledModel, data: Arrays, name: str) -> str: ...
def limits() -> dict[str, int]: ...
def loop_steps() -> tuple[int, ...]: ...
def library() -> list[dict[str, Any]]: ...
def public_names() -> list[str]: ...
def optimizer_records() -> list[dict[str, Any]]: ...
def _add_formula(*arguments: Any) -> None: ...
def _add_function(*arguments: Any) -> None: ...
def _write_file(path: str | PathLike[str], pieces: Sequence[Any]) -> None: ...
def _compare(*arguments: Any) -> Any: ...
def _reduced_test(
    backend: str, reference: str, path: str, op: str, nodes: int, backends: str, tolerance: str
) -> str: ...
def _data_dtypes(compiled: CompiledModel) -> dict[str, dtype]: ...
def _all_finite(tensors: Mapping[str, Any]) -> bool: ...
def _load_optimizer(step: TrainingStep, state: Mapping[str, Any]) -> None: ...
def _shuffled_rows(count: int, seed: int, epoch: int) -> Any: ...
def make_model(name: str, arguments: Mapping[str, Any], label: str | None = None) -> Model: ...

_kinds: dict[str, int]
