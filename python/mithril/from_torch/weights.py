"""Parameters and buffers of a module as keys of the model that `ml.from_torch` makes."""

from __future__ import annotations

import warnings
from typing import Any

import torch

from .. import models as ml
from .._core import Connection, Initializer, Model
from ..types import Tensor
from .builders import array_of

MOST_NAMES = 10  # in a warning


class Weights:
    """The keys of a model that are parameters and buffers of a module."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._first: dict[Any, str] = {}  # of tensors that share elements the first name counts
        self._buffers: dict[str, torch.Tensor] = {}
        self._next: dict[str, Connection] = {}
        self.parameters: dict[str, torch.nn.Parameter] = {}
        self.frozen: list[str] = []  # of parameters, those without requires_grad

    def register(self, name: str, value: torch.Tensor) -> None:
        self._first.setdefault(identity(value), name)

    def parameter(self, name: str, value: torch.nn.Parameter) -> Connection:
        name = self._first[identity(value)]
        if name not in self.parameters:
            self.parameters[name] = value
            self._describe(name, value)
            self._model.set_differentiability({name: value.requires_grad})
            if not value.requires_grad:
                self._freeze(name)
        return self._model[name]

    def _freeze(self, name: str) -> None:
        """The initializer, that of parameters without one, keeps an input that is not
        differentiable from being data."""
        self._model.set_initializer(name, Initializer("uniform_fan_in"))
        self.frozen.append(name)

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


def warn_of_frozen(names: list[str]) -> None:
    if not names:
        return
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    warnings.warn(
        f"from_torch: {', '.join(names[:MOST_NAMES])}{more} stay frozen, without requires_grad; "
        "model.set_differentiability({key: True}) before compile trains a parameter",
        stacklevel=5,
    )


def kind_of(value: torch.Tensor) -> type:
    """Complex tensors are pairs of floats."""
    floats = value.is_floating_point() or value.is_complex()
    return float if floats else bool if value.dtype == torch.bool else int


def identity(value: torch.Tensor) -> Any:
    """Equal for tensors that are the same elements."""
    if not value.numel():
        return id(value)
    return value.data_ptr(), value.shape, value.stride(), value.dtype
