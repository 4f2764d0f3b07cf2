"""Compose models of named ports, infer their shapes, compile and differentiate them."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ._internal import require_core as require_core  # isort: skip - before uses of the core
from . import backends, models
from ._core import (
    EMA,
    LBFGS,
    SWA,
    AttributeError,
    BackendError,
    CompiledModel,
    Cond,
    Connection,
    ConnectionError,
    ConstantSchedule,
    CosineSchedule,
    DistributedError,
    EditableModel,
    Engine,
    Error,
    Gradient,
    GradientError,
    Hessian,
    Hvp,
    Initializer,
    InputError,
    IOKey,
    Jacobian,
    Jvp,
    LinearSchedule,
    MemoryTimeline,
    Model,
    NameError,
    OneCycleSchedule,
    Optimizer,
    OutOfMemoryError,
    ParameterGroup,
    ParseError,
    Part,
    PendingAnswer,
    Plateau,
    Profile,
    RandomKey,
    Scan,
    ShapeError,
    Sharded,
    Solver,
    StateError,
    StepSchedule,
    TrainingStep,
    TrainModel,
    TypeError,
    ValueError,
    View,
    While,
    __version__,
    codegen,
    compile,
    dtype,
    generate,
    gradient,
    hessian,
    hvp,
    jacobian,
    jvp,
    limits,
    loop_steps,
    profile,
    set_limits,
    to_javascript,
    to_jax,
    vmap,
    write_web_driver,
)
from ._internal import array_functions, migration_hints, notebooks, pickling, tensor_methods
from .backends import CpuBackend
from .export import export
from .from_torch import as_torch_module, from_torch
from .functional import functional
from .training import optimizers
from .training.optimizers import *  # noqa: F403 - the classes are made from the records of the core
from .types import Tensor

if TYPE_CHECKING:
    from . import data, distributed, evaluation, initializers, metrics, text
    from .backends.compare import BackendComparison, BackendDifference, compare
    from .backends.jax import JaxBackend
    from .backends.torch import TorchBackend
    from .export.library import build_library
    from .export.wasm import to_wasm
    from .files import (
        Checkpoint,
        WeightReport,
        WeightSource,
        load_safetensors,
        save,
        save_safetensors,
        with_prefix,
        without_prefix,
    )
    from .loading import ModelsRegistry, load, models_registry
    from .models import *  # noqa: F403 - the same
    from .onnx import OnnxModel, from_onnx
    from .onnx.export import to_onnx
    from .packages.package import Package, load_package, save_package
    from .packages.torchscript import save_torchscript_package
    from .per_sample import PerSample
    from .per_sample.engine import GradDotProdEngine
    from .per_sample.engine_jax import GradDotProdEngineJAX
    from .per_sample.projections import ProjectionWriter
    from .serving.server import HttpServer, Server, serve
    from .text.tokenizer import Tokenizer
    from .training.fit import History, TensorBoard, fit
    from .training.grad_scaler import GradScaler
    from .training.parameter_transfer import TransferReport, transfer
    from .training.progress import ProgressBar
    from .user_ops import add_op, check_op

# The names above, by their modules, which are imported at the first use of a name.
_NAMES = {
    "backends.compare": "BackendComparison BackendDifference compare",
    "backends.jax": "JaxBackend",
    "backends.torch": "TorchBackend",
    "export.library": "build_library",
    "export.wasm": "to_wasm",
    "files": "Checkpoint WeightReport WeightSource load_safetensors save save_safetensors "
    "with_prefix without_prefix",
    "loading": "ModelsRegistry load models_registry",
    "onnx": "OnnxModel from_onnx",
    "onnx.export": "to_onnx",
    "packages.package": "Package load_package save_package",
    "packages.torchscript": "save_torchscript_package",
    "per_sample": "PerSample",
    "per_sample.engine": "GradDotProdEngine",
    "per_sample.engine_jax": "GradDotProdEngineJAX",
    "per_sample.projections": "ProjectionWriter",
    "serving.server": "HttpServer Server serve",
    "text.tokenizer": "Tokenizer",
    "training.fit": "History TensorBoard fit",
    "training.grad_scaler": "GradScaler",
    "training.parameter_transfer": "TransferReport transfer",
    "training.progress": "ProgressBar",
    "user_ops": "add_op check_op",
}
_MODULE_OF = {name: module for module, names in _NAMES.items() for name in names.split()}
_MODULES = {
    *("data", "distributed", "evaluation", "files", "initializers", "metrics", "packages"),
    *("per_sample", "serving", "text", "user_ops"),
}


def __dir__() -> list[str]:
    return sorted(__all__)


if not TYPE_CHECKING:  # type checkers must see only names that exist

    def __getattr__(name: str) -> Any:
        if name in _MODULES:
            value = import_module(f"mithril.{name}")
        elif name in _MODULE_OF:
            value = getattr(import_module(f"mithril.{_MODULE_OF[name]}"), name)
        elif name in models.__all__:
            value = getattr(models, name)
        else:
            migration_hints.refuse_name(name, __all__)
        globals()[name] = value
        return value


migration_hints.install(optimizers.__all__)
pickling.install()
tensor_methods.install()
array_functions.install()
notebooks.install()

bool_ = dtype.bool
int8 = dtype.int8
int16 = dtype.int16
uint8 = dtype.uint8
uint16 = dtype.uint16
uint32 = dtype.uint32
uint64 = dtype.uint64
int32 = dtype.int32
int64 = dtype.int64
float16 = dtype.float16
bfloat16 = dtype.bfloat16
float32 = dtype.float32
float64 = dtype.float64
float8_e4m3fn = dtype.float8_e4m3fn
float8_e4m3fnuz = dtype.float8_e4m3fnuz
float8_e5m2 = dtype.float8_e5m2
float8_e5m2fnuz = dtype.float8_e5m2fnuz
float8_e8m0fnu = dtype.float8_e8m0fnu
float4_e2m1fn = dtype.float4_e2m1fn
int4 = dtype.int4
uint4 = dtype.uint4
int2 = dtype.int2
uint2 = dtype.uint2

__all__ = [  # noqa: PLE0604 - the classes of the library have their names from the core
    "EMA",
    "LBFGS",
    "SWA",
    "ConstantSchedule",
    "CosineSchedule",
    "LinearSchedule",
    "OneCycleSchedule",
    "OnnxModel",
    "Optimizer",
    "ParameterGroup",
    "Plateau",
    "StepSchedule",
    "TrainingStep",
    "TransferReport",
    "AttributeError",
    "BackendComparison",
    "BackendDifference",
    "BackendError",
    "Checkpoint",
    "CompiledModel",
    "Cond",
    "Connection",
    "ConnectionError",
    "CpuBackend",
    "DistributedError",
    "EditableModel",
    "Engine",
    "Error",
    "GradDotProdEngine",
    "GradDotProdEngineJAX",
    "GradScaler",
    "Gradient",
    "GradientError",
    "History",
    "Hessian",
    "HttpServer",
    "Hvp",
    "IOKey",
    "Initializer",
    "InputError",
    "Jacobian",
    "JaxBackend",
    "Jvp",
    "MemoryTimeline",
    "Model",
    "ModelsRegistry",
    "NameError",
    "OutOfMemoryError",
    "Package",
    "ParseError",
    "Part",
    "PendingAnswer",
    "PerSample",
    "Profile",
    "ProgressBar",
    "ProjectionWriter",
    "RandomKey",
    "Server",
    "Scan",
    "ShapeError",
    "Sharded",
    "Solver",
    "StateError",
    "Tensor",
    "TensorBoard",
    "Tokenizer",
    "TorchBackend",
    "TrainModel",
    "TypeError",
    "ValueError",
    "View",
    "While",
    "WeightReport",
    "WeightSource",
    "__version__",
    "as_torch_module",
    "backends",
    "bfloat16",
    "bool_",
    "add_op",
    "build_library",
    "check_op",
    "codegen",
    "compare",
    "compile",
    "data",
    "distributed",
    "dtype",
    "evaluation",  # the old name of metrics, until 0.2
    "export",
    "fit",
    "float16",
    "float32",
    "float64",
    "float8_e4m3fn",
    "float8_e4m3fnuz",
    "float8_e5m2",
    "float8_e5m2fnuz",
    "float8_e8m0fnu",
    "float4_e2m1fn",
    "int4",
    "uint4",
    "int2",
    "uint2",
    "from_onnx",
    "from_torch",
    "functional",
    "generate",
    "gradient",
    "hessian",
    "hvp",
    "initializers",
    "int8",
    "int16",
    "int32",
    "int64",
    "jacobian",
    "jvp",
    "limits",
    "load",
    "load_package",
    "load_safetensors",
    "loop_steps",
    "profile",
    "metrics",
    "models",
    "models_registry",
    "save",
    "save_package",
    "save_safetensors",
    "save_torchscript_package",
    "serve",
    "set_limits",
    "text",
    "to_javascript",
    "to_jax",
    "to_onnx",
    "to_wasm",
    "transfer",
    "uint16",
    "uint32",
    "uint64",
    "uint8",
    "vmap",
    "with_prefix",
    "without_prefix",
    "write_web_driver",
    *models.__all__,
    *optimizers.__all__,
]
