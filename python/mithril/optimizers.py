"""Optimizers, and steps of training as one graph."""

from ._core import SGD, Adam, AdamW, Optimizer, TrainingStep

__all__ = ["SGD", "Adam", "AdamW", "Optimizer", "TrainingStep"]
