"""Parameters and buffers of a module as keys of the model that `ml.from_torch` makes."""

from __future__ import annotations

from typing import Any

import torch

from .. import models as ml
from .._core import Connection, Model
from ..types import Tensor
from .builders import array_of


class Weights:
    """The keys of a model that are parameters and buffers of a module."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._first: dict[Any, str] = {}  # of tensors that share elements the first name counts
        self._buffers: dict[str, torch.Tensor] = {}
        self._next: dict[str, Connection] = {}
        self.parameters: dict[str, torch.nn.Parameter] = {}

    def register(self, name: str, value: torch.Tensor) -> None:
        self._first.setdefault(identity(value), name)

    def parameter(self, name: str, value: torch.nn.Parameter) -> Connection:
        name = self._first[identity(value)]
        if name not in self.parameters:
            self.parameters[name] = value
            self._describe(name, value)
            self._model.set_differentiability({name: value.is_floating_point()})
        return self._model[name]

    def buffer(self, name: str, value: torch.Tensor) -> Connection:
        self._buffers[name] = value
        self._describe(name, value)
        self._next[name] = self._model[name]
        return self._model[name]

    def set_next(self, name: str, value: Connection) -> None:
        self._next[name] = value

    def bind_state(self) -> None:
        for name, value in self._next.items():
            self._model |= ml.Buffer()(input=value, output=f"{name}.next")
            self._model.bind_state_keys(name, f"{name}.next", array_of(self._buffers[name]))

    def _describe(self, name: str, value: torch.Tensor) -> None:
        self._model.add_input(name)
        self._model.set_shapes({name: list(value.shape)})
        self._model.set_types({name: Tensor[kind_of(value)]})  # type: ignore[misc]


def kind_of(value: torch.Tensor) -> type:
    """Complex tensors are pairs of floats."""
    floats = value.is_floating_point() or value.is_complex()
    return float if floats else bool if value.dtype == torch.bool else int


def identity(value: torch.Tensor) -> Any:
    """Equal for tensors that are the same elements."""
    if not value.numel():
        return id(value)
    return value.data_ptr(), value.shape, value.stride(), value.dtype
