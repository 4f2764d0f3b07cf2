"""Optimizers, and steps of training as one graph."""

from ._core import (
    SGD,
    Adam,
    AdamW,
    ConstantSchedule,
    CosineSchedule,
    LinearSchedule,
    OneCycleSchedule,
    Optimizer,
    StepSchedule,
    TrainingStep,
)

__all__ = [
    "SGD",
    "Adam",
    "AdamW",
    "ConstantSchedule",
    "CosineSchedule",
    "LinearSchedule",
    "OneCycleSchedule",
    "Optimizer",
    "StepSchedule",
    "TrainingStep",
]
