"""Optimizers, and steps of training as one graph."""

from collections.abc import Callable
from typing import Any, Literal

from .._core import CompiledModel
from .types import Arrays

class ConstantSchedule:
    def __init__(self, lr: float = 1e-3, *, warmup: int = 0, warmup_start: float = 0.0) -> None: ...
    def __call__(self, steps: int) -> float: ...
    @property
    def options(self) -> dict[str, Any]: ...

class CosineSchedule:
    def __init__(
        self,
        lr: float = 1e-3,
        *,
        steps: int,
        warmup: int = 0,
        warmup_start: float = 0.0,
        end: float = 0.0,
    ) -> None: ...
    def __call__(self, steps: int) -> float: ...
    @property
    def options(self) -> dict[str, Any]: ...

class LinearSchedule:
    def __init__(
        self,
        lr: float = 1e-3,
        *,
        steps: int,
        warmup: int = 0,
        warmup_start: float = 0.0,
        end: float = 0.0,
    ) -> None: ...
    def __call__(self, steps: int) -> float: ...
    @property
    def options(self) -> dict[str, Any]: ...

class StepSchedule:
    def __init__(self, lr: float = 1e-3, *, step_size: int, gamma: float = 0.1) -> None: ...
    def __call__(self, steps: int) -> float: ...
    @property
    def options(self) -> dict[str, Any]: ...

class OneCycleSchedule:
    def __init__(
        self,
        lr: float = 1e-3,
        *,
        steps: int,
        pct_start: float = 0.3,
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
    ) -> None: ...
    def __call__(self, steps: int) -> float: ...
    @property
    def options(self) -> dict[str, Any]: ...

_Rate = float | ConstantSchedule | CosineSchedule | LinearSchedule | StepSchedule | OneCycleSchedule

class ParameterGroup:
    def __init__(
        self,
        pattern: str,
        *,
        lr_factor: float = 1.0,
        weight_decay: float | None = None,
        frozen: bool = False,
    ) -> None: ...
    @property
    def options(self) -> dict[str, Any]: ...

class Plateau:
    def __init__(
        self,
        mode: Literal["min", "max"] = "min",
        *,
        factor: float = 0.1,
        patience: int = 10,
        threshold: float = 1e-4,
        threshold_mode: Literal["rel", "abs"] = "rel",
        cooldown: int = 0,
        min_lr: float = 0.0,
    ) -> None: ...
    def update(self, optimizer: Optimizer, score: float) -> bool: ...
    @property
    def options(self) -> dict[str, Any]: ...
    def state_dict(self) -> dict[str, Any]: ...
    def load_state_dict(self, state: dict[str, Any]) -> None: ...

class LBFGS:
    def __init__(
        self,
        lr: float = 1.0,
        *,
        max_iter: int = 20,
        max_eval: int | None = None,
        tolerance_grad: float = 1e-7,
        tolerance_change: float = 1e-9,
        history_size: int = 100,
        line_search_fn: Literal["strong_wolfe"] | None = None,
    ) -> None: ...
    def step(
        self,
        params: dict[str, Any],
        closure: Callable[[dict[str, Any]], tuple[Any, dict[str, Any]]],
    ) -> float: ...
    @property
    def options(self) -> dict[str, Any]: ...
    def state_dict(self) -> dict[str, Any]: ...
    def load_state_dict(self, state: Arrays) -> None: ...

class EMA:
    def __init__(self, decay: float = 0.999) -> None: ...
    @property
    def options(self) -> dict[str, Any]: ...

class SWA:
    def __init__(self, start: int = 0, every: int = 1) -> None: ...
    @property
    def options(self) -> dict[str, Any]: ...

class Optimizer:
    @property
    def lr(self) -> float: ...
    @lr.setter
    def lr(self, lr: _Rate) -> None: ...
    @property
    def schedule(self) -> _Rate: ...
    @property
    def groups(self) -> list[ParameterGroup]: ...
    @property
    def steps(self) -> int: ...
    def step(self, params: Arrays, gradients: Arrays) -> None: ...
    def set_threads(self, threads: int) -> None: ...
    @property
    def threads(self) -> int: ...
    @property
    def options(self) -> dict[str, Any]: ...
    def state_dict(self) -> dict[str, Any]: ...
    def load_state_dict(self, state: Arrays) -> None: ...

class TrainingStep:
    def __init__(
        self,
        compiled: CompiledModel,
        optimizer: Optimizer,
        *,
        output_gradients: Arrays | Literal[True] = ...,
        max_norm: float | None = None,
        max_value: float | None = None,
        accumulate: int = 1,
        average: EMA | SWA | None = None,
    ) -> None: ...
    def __call__(self, params: Arrays, data: Arrays = ...) -> dict[str, Any]: ...
    @property
    def compiled(self) -> CompiledModel: ...
    @property
    def optimizer(self) -> Optimizer: ...
    def averages(self, params: Arrays) -> dict[str, Any]: ...
    def gather_optimizer(self) -> None: ...
    @property
    def state(self) -> dict[str, Any]: ...
    @state.setter
    def state(self, state: Arrays) -> None: ...
