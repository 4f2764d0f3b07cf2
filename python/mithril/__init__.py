"""Compose models of named ports, infer their shapes, compile and differentiate them."""

from typing import TYPE_CHECKING

from . import built as built  # isort: skip - before modules that need the core
from . import (
    array_functions,
    backends,
    data,
    evaluation,
    initializers,
    migration_hints,
    models,
    notebooks,
    optimizer_classes,
    pickling,
    tensor_methods,
)
from ._core import (
    AttributeError,
    BackendError,
    CompiledModel,
    Connection,
    ConnectionError,
    Error,
    GradientError,
    Initializer,
    InputError,
    IOKey,
    Model,
    NameError,
    OutOfMemoryError,
    ParseError,
    RandomKey,
    ShapeError,
    Solver,
    StateError,
    TrainModel,
    TypeError,
    ValueError,
    __version__,
    codegen,
    compile,
    dtype,
    limits,
    set_limits,
    to_javascript,
    to_jax,
    write_web_driver,
)
from .backends import CpuBackend, JaxBackend, TorchBackend
from .compare import BackendComparison, BackendDifference, compare
from .engine import Engine, PendingAnswer
from .files import (
    Checkpoint,
    WeightReport,
    WeightSource,
    load,
    load_safetensors,
    save,
    save_safetensors,
    with_prefix,
    without_prefix,
)
from .fit import History, TensorBoard, fit
from .functional import functional
from .generation import generate
from .grad_dot_prod import GradDotProdEngine
from .grad_dot_prod_jax import GradDotProdEngineJAX
from .grad_scaler import GradScaler
from .library_builder import build_library
from .models import *  # noqa: F403 - the classes are made from the records of the core
from .optimizer_classes import *  # noqa: F403 - the same
from .optimizers import (
    EMA,
    LBFGS,
    SWA,
    ConstantSchedule,
    CosineSchedule,
    LinearSchedule,
    OneCycleSchedule,
    Optimizer,
    ParameterGroup,
    Plateau,
    StepSchedule,
    TrainingStep,
)
from .packages import Package, load_package, save_package
from .per_sample import PerSample
from .progress import ProgressBar
from .projection_writer import ProjectionWriter
from .registry import ModelsRegistry, models_registry
from .serving import Server, serve
from .tokenizer import Tokenizer
from .torch_interop import as_torch_module, from_torch
from .torchscript import save_torchscript_package
from .types import Tensor
from .user_ops import add_op, check_op
from .wasm_builder import to_wasm

if not TYPE_CHECKING:  # type checkers must see only names that exist

    def __getattr__(name: str) -> None:
        migration_hints.refuse_name(name, __all__)


migration_hints.install()
pickling.install()
tensor_methods.install()
array_functions.install()
notebooks.install()

bool_ = dtype.bool
int8 = dtype.int8
int16 = dtype.int16
uint8 = dtype.uint8
int32 = dtype.int32
int64 = dtype.int64
float16 = dtype.float16
bfloat16 = dtype.bfloat16
float32 = dtype.float32
float64 = dtype.float64

__all__ = [  # noqa: PLE0604 - the classes of the library have their names from the core
    "EMA",
    "LBFGS",
    "SWA",
    "ConstantSchedule",
    "CosineSchedule",
    "LinearSchedule",
    "OneCycleSchedule",
    "Optimizer",
    "ParameterGroup",
    "Plateau",
    "StepSchedule",
    "TrainingStep",
    "AttributeError",
    "BackendComparison",
    "BackendDifference",
    "BackendError",
    "Checkpoint",
    "CompiledModel",
    "Connection",
    "ConnectionError",
    "CpuBackend",
    "Engine",
    "Error",
    "GradDotProdEngine",
    "GradDotProdEngineJAX",
    "GradScaler",
    "GradientError",
    "History",
    "IOKey",
    "Initializer",
    "InputError",
    "JaxBackend",
    "Model",
    "ModelsRegistry",
    "NameError",
    "OutOfMemoryError",
    "Package",
    "ParseError",
    "PendingAnswer",
    "PerSample",
    "ProgressBar",
    "ProjectionWriter",
    "RandomKey",
    "Server",
    "ShapeError",
    "Solver",
    "StateError",
    "Tensor",
    "TensorBoard",
    "Tokenizer",
    "TorchBackend",
    "TrainModel",
    "TypeError",
    "ValueError",
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
    "dtype",
    "evaluation",
    "fit",
    "float16",
    "float32",
    "float64",
    "from_torch",
    "functional",
    "generate",
    "initializers",
    "int8",
    "int16",
    "int32",
    "int64",
    "limits",
    "load",
    "load_package",
    "load_safetensors",
    "models",
    "models_registry",
    "save",
    "save_package",
    "save_safetensors",
    "save_torchscript_package",
    "serve",
    "set_limits",
    "to_javascript",
    "to_jax",
    "to_wasm",
    "uint8",
    "with_prefix",
    "without_prefix",
    "write_web_driver",
    *models.__all__,
    *optimizer_classes.__all__,
]
