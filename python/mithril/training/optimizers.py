"""Optimizers, and steps of training as one graph."""

from .._core import (
    EMA,
    LBFGS,
    SWA,
    ConstantSchedule,
    CosineSchedule,
    LinearSchedule,
    OneCycleSchedule,
    Optimizer,
    ParameterGroup,
    Plateau,
    StepSchedule,
    TrainingStep,
)
from .optimizer_classes import *  # noqa: F403 - the classes are those of the records
from .optimizer_classes import __all__ as _names

__all__ = [  # noqa: PLE0604 - the classes have their names from the core
    "EMA",
    "LBFGS",
    "SWA",
    "ConstantSchedule",
    "CosineSchedule",
    "LinearSchedule",
    "OneCycleSchedule",
    "Optimizer",
    "ParameterGroup",
    "Plateau",
    "StepSchedule",
    "TrainingStep",
    *_names,
]
