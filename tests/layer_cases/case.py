"""The classes and functions with which the files of the layers describe cases."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import mithril as ml

Input = tuple[int, ...] | np.ndarray


@dataclass(frozen=True)
class Example:
    """Arguments of a layer, and its inputs: shapes of float inputs, or arrays."""

    arguments: dict[str, Any] = field(default_factory=dict)
    inputs: dict[str, Input] = field(default_factory=dict)

    def make(self, name: str) -> ml.Model:
        made: ml.Model = getattr(ml, name)(**self.arguments)
        return made

    def __str__(self) -> str:
        return ", ".join(f"{key}={value}" for key, value in self.arguments.items())


def examples(inputs: dict[str, Input], *arguments: dict[str, Any]) -> list[Example]:
    """Examples of other arguments for the same inputs."""
    return [Example(argument, inputs) for argument in arguments or ({},)]


def windows(shape: Input, arguments: dict[str, Any], more: tuple[dict[str, Any], ...]) -> Any:
    return examples({"input": shape}, arguments, *(arguments | other for other in more))


def ints(end: int, *shape: int) -> np.ndarray:
    return np.arange(int(np.prod(shape))).reshape(shape) * 7 % end


def points(*shape: int) -> np.ndarray:
    """Different numbers between 0 and 1."""
    return np.arange(int(np.prod(shape))).reshape(shape) * 0.37 % 1


def distances(count: int) -> np.ndarray:
    x = points(count, 2)
    return np.sqrt(np.square(x[:, None] - x[None]).sum(-1))


def positive(count: int) -> np.ndarray:
    """A positive definite matrix."""
    x = points(count, count)
    return x @ x.T + np.eye(count)


NORM: dict[str, Input] = {"norm": np.array(2.0)}
ROWS: Input = (4, 3)
LINE: Input = (2, 4, 9)
IMAGE: Input = (2, 4, 7, 8)
WINDOW1 = (
    {"stride": 2},
    {"padding": 1},
    {"padding": (0, 1)},
    {"padding": "same"},
    {"padding": "valid"},
    {"dilation": 2},
)
WINDOW2 = (
    {"stride": (2, 1)},
    {"padding": 1},
    {"padding": (0, 1)},
    {"padding": ((1, 0), (0, 1))},
    {"padding": "same"},
    {"padding": "valid"},
    {"dilation": (1, 2)},
)


@dataclass(frozen=True)
class Reference:
    """A layer and a function of PyTorch that computes the same in float64.

    The function gets the tensors of a step and of `data` as keyword arguments. Each step gives the
    shape of each parameter, whose values are drawn, or its values. `state` holds running statistics
    that the function changes.
    """

    name: str
    layer: str
    arguments: dict[str, Any]
    function: Callable[..., Any]
    steps: list[dict[str, Input]]
    data: dict[str, np.ndarray] = field(default_factory=dict)
    state: dict[str, Any] = field(default_factory=dict)


def reference(
    name: str,
    layer: str,
    arguments: dict[str, Any],
    function: Callable[..., Any],
    params: dict[str, Input],
    data: dict[str, np.ndarray] | None = None,
) -> Reference:
    """A reference of one step."""
    return Reference(name, layer, arguments, function, [params], data or {})
