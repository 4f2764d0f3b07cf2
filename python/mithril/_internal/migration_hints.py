"""Names of other libraries, and their replacements here."""

import sys
from collections.abc import Iterable
from typing import Any, NoReturn

import numpy as np

from .. import _core
from .._core import Backend, CompiledModel, Model, Optimizer, TrainingStep
from .foreign_names import replacement

MODULE = {
    "NumpyBackend": "CpuBackend, whose arrays are NumPy's",
    "CBackend": "CpuBackend",
    "GGMLBackend": "CpuBackend",
    "MlxBackend": "CpuBackend, TorchBackend or JaxBackend",
    "TBD": "leaving the argument out",
    "Dense": "Linear(dimension)",
    "Sequential": "model = Model(), and model += part for each part",
    "Module": "Model",
    "nn": "the names of this module: Linear, Relu, Conv2d",
    "Input": "IOKey(name, shape=...)",
    "Parameter": "IOKey(name, differentiable=True)",
    "MSELoss": "SquaredError, as a loss of TrainModel",
    "L1Loss": "AbsoluteError, as a loss of TrainModel",
    "BCELoss": 'BinaryCrossEntropy(input_type="probs"), as a loss of TrainModel',
    "BCEWithLogitsLoss": "BinaryCrossEntropy, as a loss of TrainModel",
    "CrossEntropyLoss": "CrossEntropy, as a loss of TrainModel",
    "NLLLoss": 'CrossEntropy(input_type="log_probs"), as a loss of TrainModel',
    "KLDivLoss": "KLDivergence, as a loss of TrainModel",
    "MultiheadAttention": "MultiHeadAttention",
    "TransformerEncoderLayer": "TransformerBlock",
    "AdaptiveAvgPool2d": "AdaptiveAvgPool2D",
    "ConvTranspose2D": "ConvTranspose2d",
    "Datum": 'IOKey(value="text"), for a string that is a value and not the name of a key',
    "tensor": "Tensor",
    "from_numpy": "the array itself: evaluate takes NumPy arrays",
    "no_grad": "compile(..., inference=True)",
    "jit": "compile",
    "grad": "compiled.evaluate(params, data, output_gradients=...)",
}
TRAINING = (
    "bind(params, state) or infer(params, data, state) to infer; "
    "what compile(model, backend) gives trains"
)
COMPILED = {
    "evaluate_all": "evaluate(params, data, output_gradients=...), which gives both",
    "evaluate_gradients": "evaluate(params, data, output_gradients=...), which gives outputs and "
    "gradients",
    "train": TRAINING,
    "eval": TRAINING,
    "state_dict": "the parameters themselves: get_parameters() gives a dict that can be saved, "
    "load_state_dict(saved) takes one",
    "parameters": "get_parameters(), or parameter_keys for their names",
    "named_parameters": "get_parameters(), a dict by name",
    "forward": "evaluate(params, data)",
    "backward": "evaluate(params, data, output_gradients=...), which returns outputs and gradients",
    "predict": "evaluate(params, data)",
    "fit": "ml.fit(TrainingStep(compiled, optimizer), data, epochs=10)",
    "zero_grad": "nothing: evaluate returns the gradients and does not accumulate them",
    "requires_grad_": 'compile(..., frozen=["encoder.*"])',
    "freeze": 'compile(..., frozen=["encoder.*"])',
    "trainable": 'compile(..., frozen=["encoder.*"])',
    "to": "compile for another backend: TorchBackend(device=...)",
    "cuda": 'compile for TorchBackend(device="cuda")',
    "register_forward_hook": "register_hook(path, fn)",
    "value_and_grad": "evaluate(params, data, output_gradients=True)",
    "grad": "evaluate(params, data, output_gradients=True), with gradient_keys=[...] that of data",
    "apply": "evaluate(params, data)",
    "run": "evaluate(params, data)",
    "init": "get_parameters()",
    "weights": "get_parameters()",
    "train_step": "ml.TrainingStep(compiled, optimizer)",
    "save": "ml.save(path, params, model), or ml.save_package",
    "save_weights": "ml.save(path, params)",
    "load_weights": "load_state_dict(path)",
    "layers": "summary()",
    "modules": "summary()",
    "export": "ml.codegen, ml.to_jax, ml.to_wasm, or save_torchscript",
}
MODEL = {
    "fit": "ml.fit(TrainingStep(compiled, optimizer), data, epochs=10) of the compiled model",
    "predict": "compile(model, backend), and evaluate(params, data) of the result",
    "evaluate": "compile(model, backend), and evaluate(params, data) of the result",
    "forward": "compile(model, backend), and evaluate(params, data) of the result",
    "compile": "compile(model, backend); TrainModel adds losses",
    "add": "model += part, or model |= part(input=..., output=...)",
    "append": "model += part",
    "add_module": "model |= part(input=..., output=...)",
    "layers": "summary(), or to_json()",
    "modules": "summary(), or to_json()",
    "children": "summary(), or to_json()",
    "weights": "get_parameters() of the compiled model",
    "parameters": "get_parameters() of the compiled model",
    "named_parameters": "get_parameters() of the compiled model",
    "state_dict": "get_parameters() of the compiled model",
    "load_state_dict": "load_state_dict(saved) of the compiled model",
    "load_weights": "load_state_dict(path) of the compiled model",
    "save": "ml.save(path, params, model), or ml.save_package",
    "save_weights": "ml.save(path, params)",
    "train": "TrainModel and TrainingStep",
    "eval": "compile(..., inference=True), or bind of the compiled model",
    "requires_grad_": 'compile(..., frozen=["encoder.*"])',
    "freeze": 'compile(..., frozen=["encoder.*"])',
    "trainable": 'compile(..., frozen=["encoder.*"])',
    "to": "TorchBackend(device=...) when compiling",
    "cuda": 'TorchBackend(device="cuda") when compiling',
    "apply": "compile(model, backend), and evaluate(params, data) of the result",
    "init": "get_parameters() of the compiled model",
    "from_pretrained": "ml.load_package, or load_state_dict(path) of the compiled model",
}
STEP = {
    "step": "step(params, data), which evaluates and updates",
    "zero_grad": "nothing: each call makes its own gradients; accumulate=n sums those of n calls",
    "backward": "step(params, data), which evaluates and updates",
    "lr": "step.optimizer.lr",
    "parameters": "the params that you pass: step(params, data) updates them",
    "params": "the params that you pass: step(params, data) updates them",
    "evaluate": "step.compiled.infer(params, data, step.state)",
    "infer": "step.compiled.infer(params, data, step.state)",
    "train": "nothing: a step trains, and step.compiled.infer(params, data, step.state) infers",
    "eval": "nothing: a step trains, and step.compiled.infer(params, data, step.state) infers",
    "fit": "ml.fit(step, data, epochs=10)",
    "state_dict": "step.state and step.optimizer.state_dict(), or ml.save",
    "load_state_dict": "step.state = saved and step.optimizer.load_state_dict(saved)",
}
OPTIMIZER = {
    "zero_grad": "nothing: evaluate returns the gradients and does not accumulate them",
    "learning_rate": "lr",
    "param_groups": "lr and options, or groups",
    "add_param_group": "groups=[ml.ParameterGroup(pattern)] of the constructor",
    "defaults": "options",
    "state": "state_dict()",
    "update": "step(params, gradients)",
    "apply_gradients": "step(params, gradients)",
    "minimize": "ml.TrainingStep(compiled, optimizer)",
    "set_lr": "optimizer.lr = value",
    "get_lr": "lr",
    "init": "nothing: the first call makes the state",
    "get_config": "options",
}
CONNECTION = {
    "backward": "compiled.evaluate(params, data, output_gradients=...) of the compiled model",
    "grad": "compiled.evaluate(params, data, output_gradients=...) of the compiled model",
    "numpy": "compiled.evaluate(params, data) of the compiled model, which gives values",
    "cpu": "CpuBackend when compiling",
    "cuda": 'TorchBackend(device="cuda") when compiling',
    "detach": "ml.StopGradient()(x)",
    "to": "cast(dtype)",
    "type": "cast(dtype)",
    "astype": "cast(dtype)",
    "float": "cast(ml.float32)",
    "double": "cast(ml.float64)",
    "half": "cast(ml.float16)",
    "int": "cast(ml.int32)",
    "long": "cast(ml.int64)",
    "bool": "cast(ml.bool_)",
    "view": "reshape(shape)",
    "permute": "transpose(axes)",
    "unsqueeze": "x[:, None]",
    "matmul": "x @ y",
    "mm": "x @ y",
    "bmm": "x @ y",
    "mul": "x * y",
    "sub": "x - y",
    "div": "x / y",
    "pow": "x ** y",
    "ndim": "len(x.shape)",
    "dim": "len(x.shape)",
    "masked_fill": "ml.Where()(mask, value, x)",
}
OF_ARRAYS = "tensor.numpy(), whose methods compute; for a model, compose ml.Model"
TENSOR = {
    "to": "astype(dtype)",
    "cast": "astype(dtype)",
    "type": "astype(dtype)",
    "float": "astype(ml.float32)",
    "view": "reshape(shape)",
    "clone": "copy()",
    "dim": "ndim",
    "numel": "size",
    "cpu": "nothing: it is in the memory of this process",
    "cuda": 'TorchBackend(device="cuda").array(...)',
    "backward": "compiled.evaluate(params, data, output_gradients=...), which returns gradients",
    "grad": "compiled.evaluate(params, data, output_gradients=...), which returns gradients",
    "requires_grad": "frozen= of compile, which freezes parameters",
    "requires_grad_": "frozen= of compile, which freezes parameters",
}
BACKEND = {
    "tensor": "array",
    "normal": "randn",
    "set_seed": "manual_seed",
    "seed": "manual_seed",
    "device": "default_device; TorchBackend(device=...) chooses one",
    "to": "to_device",
    "view": "reshape",
    "compile": "ml.compile(model, backend)",
    "to_numpy": "numpy.asarray(array)",
    "empty_cache": "clear_cache",
    "memory_allocated": "get_memory_stats()",
    "randn_like": "randn",
    "zeros_like": "zeros",
    "ones_like": "ones",
}


def refuse(owner: str, name: str, known: dict[str, str], there: list[str]) -> NoReturn:
    """Raises AttributeError E0624 with the replacement, or with the nearest names."""
    same = [known for known in there if known.lower() == name.lower()]
    hint = f"use {known[name]}" if name in known else _core.did_you_mean(name, same or there)
    _core.no_attribute(f"{owner} has no attribute {name!r}", hint)


class RefusedImportError(_core.NameError, ImportError):  # type: ignore[misc]
    """The error of `from mithril import ReLU`. Python replaces an AttributeError by an ImportError
    without its hint."""


def refuse_name(name: str, there: list[str]) -> NoReturn:
    """Raises E0624 for a name that the module mithril lacks; `__getattr__` of the module calls it.

    AttributeError, and RefusedImportError if an import statement names something with a hint.
    """
    known, advice = MODULE, replacement(name)
    same = [known for known in there if known.lower() == name.lower()]
    if name not in MODULE and advice and not same:
        known = {name: advice}
    try:
        refuse("module 'mithril'", name, known, there)
    except _core.AttributeError as error:
        if not error.help or sys._getframe(2).f_code.co_name != "_handle_fromlist":
            raise
        refused = RefusedImportError(str(error))
        vars(refused).update(vars(error))
        refused.name = f"mithril.{name}"
        raise refused from None


def _refuse_member(member_of: Any, owner: str, name: str, known: dict[str, str]) -> NoReturn:
    if name.startswith("_"):  # Python and NumPy ask for these: without the search for near names
        raise AttributeError(f"{owner} has no attribute {name!r}")
    public = [name for name in dir(type(member_of)) if not name.startswith("_")]
    refuse(owner, name, known, public)


_model_names: dict[str, str] = {}  # class names by their lower-case spelling


def model_named(name: str) -> str:
    """The class of ml.models with this name in any case, with or without "_"; "" if there is
    none."""
    return _model_names.get(name.replace("_", "").lower(), "")


def add_model_names(names: Iterable[str]) -> None:
    """Makes model_named() find these classes of ml.models."""
    _model_names.update((name.lower(), name) for name in names)


def _of_connection(connection: _core.Connection, name: str) -> NoReturn:
    known, made = CONNECTION, model_named(name)
    if name not in known and made:
        known = {name: f"ml.{made}()(x)"}
    _refuse_member(connection, "a connection", name, known)


def _of_model(find: Any) -> Any:
    """The lookup of a key, with a hint for the names of other libraries."""

    def of_member(self: Model, name: str) -> Any:
        try:
            return find(self, name)
        except _core.AttributeError as error:
            if name not in MODEL or error.help:
                raise
        refuse("a model", name, MODEL, [])

    return of_member


def _of_tensor(tensor: _core.Tensor, name: str) -> NoReturn:
    known = TENSOR
    if name not in known and (hasattr(np.ndarray, name) or model_named(name)):  # relu, partition
        known = {name: OF_ARRAYS}
    _refuse_member(tensor, "a tensor", name, known)


def _set_attribute(changed: Any, name: str, value: Any) -> None:
    if not hasattr(type(changed), name) and not hasattr(changed, "__dict__"):
        getattr(changed, name)  # raises the error of reading it
    object.__setattr__(changed, name, value)


OWNERS = {
    CompiledModel: ("a compiled model", COMPILED),
    Optimizer: ("an optimizer", OPTIMIZER),
    TrainingStep: ("a training step", STEP),
    Backend: ("a backend", BACKEND),
}


def install(optimizers: Iterable[str]) -> None:
    """Gives the classes of the core the hints above, and `optim` the names of the optimizers."""
    MODULE["optim"] = f"one of the optimizers: {', '.join(optimizers)}"
    owner_class: Any
    for owner_class, (owner, known) in OWNERS.items():

        def of_member(self: Any, name: str, owner: str = owner, known: Any = known) -> NoReturn:
            _refuse_member(self, owner, name, known)

        owner_class.__getattr__ = of_member
    Model.__getattr__ = _of_model(Model.__getattr__)  # type: ignore[method-assign]
    _core.Connection.__getattr__ = _of_connection  # type: ignore[attr-defined]
    _core.Tensor.__getattr__ = _of_tensor  # type: ignore[attr-defined]
    Optimizer.__setattr__ = _set_attribute  # type: ignore[method-assign]
    TrainingStep.__setattr__ = _set_attribute  # type: ignore[method-assign]
