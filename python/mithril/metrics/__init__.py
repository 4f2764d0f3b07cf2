"""Evaluators: measures of a model over the batches of a data set."""

from .._core import (
    Accuracy,
    AreaUnderCurve,
    F1Score,
    MeanSquaredError,
    ModelScore,
    Perplexity,
    TopKAccuracy,
)
from .embeddings import EmbeddingSimilarity
from .evaluator import Evaluator, SampleEvaluator
from .registry import EvaluatorsRegistry, create, register, registry
from .scorers import SampleScore
from .texts import Bleu, ExactMatch, RougeL

__all__ = [
    "Accuracy",
    "AreaUnderCurve",
    "Bleu",
    "EmbeddingSimilarity",
    "Evaluator",
    "EvaluatorsRegistry",
    "ExactMatch",
    "F1Score",
    "MeanSquaredError",
    "ModelScore",
    "Perplexity",
    "RougeL",
    "SampleEvaluator",
    "SampleScore",
    "TopKAccuracy",
    "create",
    "register",
    "registry",
]
