"""The classes of optimizers. Made by tools/make_optimizers from the records; do not edit."""

from collections.abc import Sequence

from .._stubs.optimizers import Optimizer, ParameterGroup, _Rate

class Adagrad(Optimizer):
    def __init__(
        self,
        lr: _Rate = 0.01,
        *,
        lr_decay: float = 0.0,
        weight_decay: float = 0.0,
        initial_accumulator_value: float = 0.0,
        eps: float = 1e-10,
        groups: Sequence[ParameterGroup] = (),
    ) -> None: ...

class Adam(Optimizer):
    def __init__(
        self,
        lr: _Rate = 0.001,
        *,
        betas: tuple[float, float] = ...,
        eps: float = 1e-08,
        weight_decay: float = 0.0,
        groups: Sequence[ParameterGroup] = (),
    ) -> None: ...

class AdamW(Optimizer):
    def __init__(
        self,
        lr: _Rate = 0.001,
        *,
        betas: tuple[float, float] = ...,
        eps: float = 1e-08,
        weight_decay: float = 0.01,
        groups: Sequence[ParameterGroup] = (),
    ) -> None: ...

class Lion(Optimizer):
    def __init__(
        self,
        lr: _Rate = 0.0001,
        *,
        betas: tuple[float, float] = ...,
        weight_decay: float = 0.0,
        groups: Sequence[ParameterGroup] = (),
    ) -> None: ...

class NAdam(Optimizer):
    def __init__(
        self,
        lr: _Rate = 0.002,
        *,
        betas: tuple[float, float] = ...,
        eps: float = 1e-08,
        weight_decay: float = 0.0,
        momentum_decay: float = 0.004,
        decoupled_weight_decay: bool = False,
        groups: Sequence[ParameterGroup] = (),
    ) -> None: ...

class RMSprop(Optimizer):
    def __init__(
        self,
        lr: _Rate = 0.01,
        *,
        alpha: float = 0.99,
        eps: float = 1e-08,
        weight_decay: float = 0.0,
        momentum: float = 0.0,
        centered: bool = False,
        groups: Sequence[ParameterGroup] = (),
    ) -> None: ...

class SGD(Optimizer):
    def __init__(
        self,
        lr: _Rate = 0.001,
        *,
        momentum: float = 0.0,
        dampening: float = 0.0,
        weight_decay: float = 0.0,
        nesterov: bool = False,
        groups: Sequence[ParameterGroup] = (),
    ) -> None: ...

__all__ = [
    "SGD",
    "Adagrad",
    "Adam",
    "AdamW",
    "Lion",
    "NAdam",
    "RMSprop",
]
