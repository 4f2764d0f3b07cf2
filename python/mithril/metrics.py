"""Evaluators: measures of a model over the batches of a data set."""

from ._core import (
    Accuracy,
    AreaUnderCurve,
    Evaluator,
    F1Score,
    MeanSquaredError,
    ModelScore,
    Perplexity,
    TopKAccuracy,
)

__all__ = [
    "Accuracy",
    "AreaUnderCurve",
    "Evaluator",
    "F1Score",
    "MeanSquaredError",
    "ModelScore",
    "Perplexity",
    "TopKAccuracy",
]
