"""Optimizers, and steps of training as one graph."""

from ._core import (
    EMA,
    SGD,
    SWA,
    Adam,
    AdamW,
    ConstantSchedule,
    CosineSchedule,
    LinearSchedule,
    OneCycleSchedule,
    Optimizer,
    ParameterGroup,
    StepSchedule,
    TrainingStep,
)

__all__ = [
    "EMA",
    "SGD",
    "SWA",
    "Adam",
    "AdamW",
    "ConstantSchedule",
    "CosineSchedule",
    "LinearSchedule",
    "OneCycleSchedule",
    "Optimizer",
    "ParameterGroup",
    "StepSchedule",
    "TrainingStep",
]
