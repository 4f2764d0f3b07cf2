"""Between models and the modules of PyTorch. Torch is imported where one of these is called."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ._core import CompiledModel, raise_error
from .torch_backend import TorchBackend

if TYPE_CHECKING:
    import torch


def as_torch_module(
    compiled: CompiledModel,
    params: Mapping[str, Any] | None = None,
    *,
    evaluation: CompiledModel | None = None,
) -> torch.nn.Module:
    """The compiled model as a torch.nn.Module, which torch's autograd differentiates.

    Its parameters have dotted names: "encoder.fc1.weight" is the parameter `weight` of a submodule
    `fc1` of a submodule `encoder`. State (running statistics, random keys) becomes buffers, which
    each call of the module writes to. The module takes the data by keyword or in the order of
    `compiled.data_keys`, and gives a tensor, or a dict where there are several outputs.

    Args:
        compiled: compiled for a TorchBackend.
        params: what to begin with, in place of `compiled.get_parameters()`. Parameters of torch
            (`nn.Parameter`) stay the same objects where their dtype and device fit.
        evaluation: what runs after `eval()`: the same model compiled with inference=True in its
            layers. Without it, eval() changes nothing, and is an error where there is state. Its
            data keys that are state of `compiled` are read from the buffers.

    Example:
        module = ml.as_torch_module(compiled)
        optimizer = torch.optim.Adam(module.parameters())
        loss = module(x).square().mean()
    """
    for model in (compiled, evaluation):
        if model is not None and not isinstance(model.backend, TorchBackend):
            raise_error(
                "BackendError",
                "E1007",
                "only what is compiled for a TorchBackend can be a module of torch",
                facts=[("compiled for", model.backend.name)],
            )
    from .torch_module import TorchModule  # noqa: PLC0415 - torch is not needed for the rest

    return TorchModule(compiled, params, evaluation)
