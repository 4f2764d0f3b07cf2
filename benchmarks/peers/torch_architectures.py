"""The architectures in transformers: modules with random weights, and their inputs."""

import contextlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
import transformers
from torch import nn

from benchmarks.peers.architectures import ARCHITECTURES, Architecture, Input


class Positional(nn.Module):
    """A model of transformers with positional inputs and one output."""

    def __init__(self, asked: Architecture, model: Any) -> None:
        super().__init__()
        self.model, self.names, self.output = model, list(asked.inputs), asked.output
        # The encoder alone where the workload is that.
        self.called = model.get_encoder() if asked.example == "whisper" else model

    def forward(self, *inputs: torch.Tensor) -> torch.Tensor:
        result = self.called(**dict(zip(self.names, inputs, strict=True)))
        found: torch.Tensor = result[self.output]
        return found


def disturb(module: nn.Module) -> None:
    """Weights under which all layers influence the result: the initial ones of some convolutions
    let the signal vanish, and zeros of biases hide mistakes."""
    for part in module.modules():
        if isinstance(part, nn.Conv2d):
            nn.init.kaiming_normal_(part.weight)
        if isinstance(part, nn.Conv2d | nn.Linear) and part.bias is not None:
            nn.init.normal_(part.bias, std=0.02)
        if type(part).__name__.endswith("RMSNorm") or type(part).__name__ == "T5LayerNorm":
            nn.init.uniform_(part.weight, 0.5, 1.5)


def module(name: str, fused_attention: bool) -> nn.Module:
    """Returns the module. Its weights are the same in each process, because the caller seeds
    torch."""
    asked = ARCHITECTURES[name]
    config = getattr(transformers, asked.config)(**asked.fields)
    model = getattr(transformers, asked.model)(config)
    with contextlib.suppress(ValueError):  # convolutional models have no attention
        model.set_attn_implementation("sdpa" if fused_attention else "eager")
    disturb(model)
    return Positional(asked, model)


def drawn(given: Input) -> torch.Tensor:
    if given.value is not None:
        return torch.full(given.shape, given.value)
    if not given.below:
        return torch.randn(given.shape)
    result = torch.randint(0, given.below, given.shape)
    if given.last is not None:
        result[..., -1] = given.last
    return result


def inputs(name: str) -> list[torch.Tensor]:
    given: Mapping[str, Input] = ARCHITECTURES[name].inputs
    return [drawn(value) for value in given.values()]


def save(positional: nn.Module, folder: Path) -> None:
    """Writes a checkpoint folder of Hugging Face."""
    positional.model.save_pretrained(folder)
