"""Conversions between models and PyTorch modules. A call imports torch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from .._core import CompiledModel, Model, raise_error, wrong_argument
from .._internal.arguments import checked

if TYPE_CHECKING:
    import torch


@checked
def as_torch_module(
    compiled: CompiledModel,
    params: Mapping[str, Any] | None = None,
) -> torch.nn.Module:
    """Returns a torch.nn.Module that evaluates a compiled model, differentiable by autograd.

    The key "encoder.fc1.weight" becomes the parameter `weight` of the submodule `encoder.fc1`.
    State (running statistics, random keys) becomes buffers, which each call in training mode
    updates in place. After `eval()` the module runs in inference mode. The module takes the data by
    keyword or in the order of `compiled.data_keys`, and returns a tensor, or a dict if there are
    several outputs.

    Args:
        compiled: a model that was compiled for a TorchBackend.
        params: dict of initial parameters. None: `compiled.get_parameters()`. Parameters of torch
            (`nn.Parameter`) stay the same objects if their dtype and device fit. Frozen parameters
            do not require gradients: those that do are replaced.

    Raises:
        BackendError: If the model was compiled for another backend.
        NameError: If a key cannot be a name in a torch module.

    Example:
        import torch

        compiled = ml.compile(model, ml.TorchBackend(), shapes={"x": [None, 4]})
        module = ml.as_torch_module(compiled)
        optimizer = torch.optim.Adam(module.parameters())
        loss = module(torch.ones(8, 4)).square().mean()
        loss.backward()
        optimizer.step()

    See docs/torch-modules.md.
    """
    from ..backends.torch import TorchBackend  # noqa: PLC0415 - imported at its first use

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
    dynamic_shapes: Mapping[str, Any]
    | Sequence[Any]
    | torch.export.ShapesCollection
    | torch.export.AdditionalInputs
    | Literal["auto"]
    | None = None,
    *,
    seed: int = 0,
) -> tuple[Model, dict[str, torch.nn.Parameter]]:
    """Converts a PyTorch module to a model and returns the model and its parameters.

    The parameters have the dotted names of the module, and are its own, not copies: training one of
    the two trains both. A parameter with several names keeps the first one. Parameters without
    `requires_grad` stay frozen, and a warning lists them. Buffers in `state_dict` (running
    statistics) and parameters of ints become state of the model. Other tensors become constants.
    Layers in training mode follow the mode of the compiled model, and layers in evaluation mode
    stay in it.

    The inputs have the names of the arguments of `forward`. A single output is called "output", and
    the items of a tuple "output_0", "output_1" and so on. The items of a dict or a dataclass keep
    their names. Sizes are those of the examples, unless `dynamic_shapes` lets them stay symbolic.

    Args:
        module: a module that torch.export can export, or an exported program.
        example_inputs: a tensor, a tuple of the arguments of `forward`, or a dict of them by name.
            None for an exported program.
        dynamic_shapes: the names of symbolic axes, {"x": ["N", None, 8]} or {"x": {0: "N"}}, or
            what torch.export.export takes: a dict, or a tuple or list in the order of the inputs,
            with `Dim("N")`, `Dim.AUTO`, `Dim.DYNAMIC` and sizes, a ShapesCollection or
            AdditionalInputs. A size of 1 in an example cannot stay symbolic. "auto": the first axis
            of every input and all axes of inputs of ints or bools, as far as torch.export allows; a
            warning names each axis that stays fixed.
        seed: the seed of the random keys of dropout.

    Returns:
        A tuple (model, params), where params is a dict of torch parameters for `evaluate`.

    Raises:
        ValueError: If operators cannot be converted (the error lists all of them with their lines),
            control flow depends on elements, or the backward of a `torch.autograd.Function` is not
            the derivative of its forward.
        NameError: If `dynamic_shapes` names no input.

    Example:
        import torch

        x = torch.randn(2, 8)
        model, params = ml.from_torch(torch.nn.Linear(8, 3), x, {"input": {0: "N"}})
        compiled = ml.compile(model, ml.TorchBackend())
        outputs = compiled.evaluate(params, {"input": x})

    See docs/torch-modules.md.
    """
    from ..backends.torch_library import require_torch  # noqa: PLC0415 - imported at its first use

    torch = require_torch("from_torch")
    if not isinstance(module, torch.nn.Module | torch.export.ExportedProgram):
        wrong_argument("from_torch", "module", "a module of torch", module)
    is_program = isinstance(module, torch.export.ExportedProgram)
    if (example_inputs is None) != is_program:
        expected = "None, since the program has inputs" if is_program else "inputs of forward"
        wrong_argument("from_torch", "example_inputs", expected, example_inputs)
    if is_program and dynamic_shapes is not None:
        expected = "None, since the program has sizes"
        wrong_argument("from_torch", "dynamic_shapes", expected, dynamic_shapes)
    if not is_dynamic(dynamic_shapes):
        expected = "a dict, a tuple, 'auto' or None"
        wrong_argument("from_torch", "dynamic_shapes", expected, dynamic_shapes)
    if not hasattr(type(seed), "__index__"):
        wrong_argument("from_torch", "seed", "an int", seed)
    from .convert import convert  # noqa: PLC0415 - torch is not needed for the rest

    by_name = isinstance(example_inputs, Mapping)
    kwargs = dict(example_inputs) if by_name else {}
    args = () if by_name else as_arguments(example_inputs)
    return convert(module, args, kwargs, dynamic_shapes, seed)


def is_dynamic(shapes: Any) -> bool:
    """Whether the value is a form of `dynamic_shapes`."""
    if isinstance(shapes, str):
        return shapes == "auto"
    is_torch = hasattr(shapes, "dynamic_shapes")  # a ShapesCollection, or AdditionalInputs
    return shapes is None or is_torch or isinstance(shapes, Mapping | tuple | list)


def as_arguments(inputs: Any) -> tuple[Any, ...]:
    return tuple(inputs) if isinstance(inputs, tuple | list) else (inputs,)
