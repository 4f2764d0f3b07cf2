"""Between models and the modules of PyTorch. Torch is imported where one of these is called."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ._core import CompiledModel, Model, raise_error, wrong_argument
from .calls import checked
from .torch_backend import TorchBackend
from .torch_library import import_torch

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
    data by keyword or in the order of `compiled.data_keys`, and gives a tensor, or a dict where
    there are several outputs.

    Args:
        compiled: compiled for a TorchBackend.
        params: what to begin with, in place of `compiled.get_parameters()`. Parameters of torch
            (`nn.Parameter`) stay the same objects where their dtype and device fit.

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
    from .torch_module import TorchModule  # noqa: PLC0415 - torch is not needed for the rest

    return TorchModule(compiled, params)


@checked
def from_torch(
    module: torch.nn.Module,
    *,
    inputs: Iterable[str] = (),
    shapes: Mapping[str, Any] | None = None,
    types: Mapping[str, Any] | None = None,
    seed: int = 0,
) -> tuple[Model, dict[str, torch.nn.Parameter]]:
    """A module of PyTorch, converted to a model, and its parameters under the same dotted names.

    The parameters are the module's own, not copies: `compiled.evaluate(params, data)` takes them,
    and who trains one of the two trains both. Of a parameter with several names the first counts.
    Buffers that `state_dict` holds (running statistics) become state of the model, with the numbers
    of now to begin with; other tensors become constants. Layers in training mode follow the mode of
    the compiled model (batch norm, dropout with a random key as state); layers in evaluation mode
    stay in it.

    The inputs of the model are those of `forward` that have no default, under their names. The
    output is called "output"; of a tuple "output_0", "output_1", ...; a dict has its own names.

    What cannot be converted is listed in one ValueError, all of it at once. Control flow that
    depends on elements or sizes is a ValueError that names the line.

    Args:
        module: a module that torch.fx can trace.
        inputs: parameters of forward that are inputs too, although they have a default.
        shapes: of inputs, where the module asks for their rank or sizes, as in ml.compile.
        types: of inputs that the module does not tell, such as masks: ml.Tensor[bool].
        seed: of the keys of dropout.

    Example:
        model, params = ml.from_torch(module.eval())
        compiled = ml.compile(model, ml.TorchBackend(), shapes={"x": [None, 3, 32, 32]})
        outputs = compiled.evaluate(params, {"x": x})
    """
    torch = import_torch()
    if not isinstance(module, torch.nn.Module):
        wrong_argument("from_torch", "module", "a module of torch", module)
    for name, value in (("shapes", shapes), ("types", types)):
        if value is not None and not isinstance(value, dict):
            wrong_argument("from_torch", name, "a dict or None", value)
    if not hasattr(type(seed), "__index__"):
        wrong_argument("from_torch", "seed", "an int", seed)
    names = _names_of(inputs)
    from .from_torch_convert import convert  # noqa: PLC0415 - torch is not needed for the rest

    return convert(module, names, shapes or {}, types or {}, seed)


def _names_of(inputs: Any) -> list[str]:
    names = list(inputs) if isinstance(inputs, Iterable) else [inputs]
    if isinstance(inputs, str) or not all(isinstance(each, str) for each in names):
        wrong_argument("from_torch", "inputs", "a list of names", inputs)
    return names
