"""Between models and the modules of PyTorch. Torch is imported where one of these is called."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from .._core import CompiledModel, Model, raise_error, wrong_argument
from .._internal.arguments import checked
from ..backends.torch import TorchBackend
from ..backends.torch_library import import_torch

if TYPE_CHECKING:
    import torch


@checked
def as_torch_module(
    compiled: CompiledModel,
    params: Mapping[str, Any] | None = None,
) -> torch.nn.Module:
    """The compiled model as a torch.nn.Module, which torch's autograd differentiates.

    Its parameters have dotted names: "encoder.fc1.weight" is the parameter `weight` of a submodule
    `fc1` of a submodule `encoder`. State (running statistics, random keys) becomes buffers, which
    each call of the module writes to while training. After `eval()` the module runs in inference
    mode: dropout passes everything, batch norm uses the running statistics. The module takes the
    data by keyword or in the order of `compiled.data_keys`, and returns a tensor, or a dict if
    there are several outputs.

    Args:
        compiled: compiled for a TorchBackend.
        params: the initial parameters, instead of `compiled.get_parameters()`. Parameters of torch
            (`nn.Parameter`) stay the same objects if their dtype and device fit.

    Example:
        module = ml.as_torch_module(compiled)
        optimizer = torch.optim.Adam(module.parameters())
        loss = module(x).square().mean()
    """
    if not isinstance(compiled, CompiledModel):
        wrong_argument("as_torch_module", "compiled", "a compiled model", compiled)
    if params is not None and not isinstance(params, Mapping):
        wrong_argument("as_torch_module", "params", "a dict or None", params)
    if not isinstance(compiled.backend, TorchBackend):
        raise_error(
            "BackendError",
            "E1007",
            "only a model compiled for a TorchBackend can be a module of torch",
            facts=[("compiled for", compiled.backend.name)],
        )
    from .module import TorchModule  # noqa: PLC0415 - torch is not needed for the rest

    return TorchModule(compiled, params)


@checked
def from_torch(
    module: torch.nn.Module | torch.export.ExportedProgram,
    example_inputs: Any = None,
    dynamic_shapes: Mapping[str, Any] | Literal["auto"] | None = None,
    *,
    seed: int = 0,
) -> tuple[Model, dict[str, torch.nn.Parameter]]:
    """A module of PyTorch, converted to a model, and its parameters under the same dotted names.

    The parameters are the module's own, not copies: `compiled.evaluate(params, data)` takes them,
    and training one of the two trains both. A parameter with several names keeps the first one.
    Buffers in `state_dict` (running statistics) become state of the model and start with their
    current values; other tensors become constants. Layers in training mode follow the mode of the
    compiled model (batch norm, dropout with a random key as state); layers in evaluation mode stay
    in it.

    The inputs of the model are those in `example_inputs`, with the names of the arguments of
    `forward`. A single output is called "output", the items of a tuple "output_0", "output_1", ...;
    the items of a dict or a dataclass keep their names.

    Sizes are those of the examples, unless `dynamic_shapes` lets them stay symbolic. A size of 1 in
    an example cannot stay symbolic.

    One ValueError lists all operators that cannot be converted, with their lines. Control flow that
    depends on elements raises a ValueError that names the line.

    Args:
        module: a module that torch.export can export, or an exported program.
        example_inputs: a tensor, a tuple of the arguments of forward, or a dict of them by name.
        dynamic_shapes: names of the symbolic axes of inputs, {"x": ["N", None, 8]} or
            {"x": {0: "N"}}; dims of torch.export are allowed, too. "auto": the first axis of every
            input and all axes of inputs of ints or bools, as far as torch.export allows; a warning
            names each axis that stays fixed.
        seed: the seed of the keys of dropout.

    Example:
        x = torch.randn(2, 3, 32, 32)
        model, params = ml.from_torch(module.eval(), x, {"x": {0: "N"}})
        compiled = ml.compile(model, ml.TorchBackend())
        outputs = compiled.evaluate(params, {"x": x})
    """
    torch = import_torch()
    if not isinstance(module, torch.nn.Module | torch.export.ExportedProgram):
        wrong_argument("from_torch", "module", "a module of torch", module)
    is_program = isinstance(module, torch.export.ExportedProgram)
    if (example_inputs is None) != is_program:
        expected = "None, since the program has inputs" if is_program else "inputs of forward"
        wrong_argument("from_torch", "example_inputs", expected, example_inputs)
    if dynamic_shapes not in (None, "auto") and not isinstance(dynamic_shapes, Mapping):
        wrong_argument("from_torch", "dynamic_shapes", "a dict, 'auto' or None", dynamic_shapes)
    if not hasattr(type(seed), "__index__"):
        wrong_argument("from_torch", "seed", "an int", seed)
    from .convert import convert  # noqa: PLC0415 - torch is not needed for the rest

    by_name = isinstance(example_inputs, Mapping)
    kwargs = dict(example_inputs) if by_name else {}
    args = () if by_name else as_arguments(example_inputs)
    return convert(module, args, kwargs, dynamic_shapes, seed)


def as_arguments(inputs: Any) -> tuple[Any, ...]:
    return tuple(inputs) if isinstance(inputs, tuple | list) else (inputs,)
