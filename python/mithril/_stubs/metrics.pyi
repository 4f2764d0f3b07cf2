"""Evaluators: measures of a model over the batches of a data set."""

from typing import Literal

from .._core import CompiledModel
from ..metrics.evaluator import Evaluator as AbstractEvaluator
from .types import Arrays

class Evaluator(AbstractEvaluator):
    def update(self, batch: Arrays) -> None: ...
    def compute(self) -> float: ...
    def merge(self, other: Evaluator) -> None: ...
    def reset(self) -> None: ...
    def _packed(self) -> bytes | None: ...
    def _merge_packed(self, bytes: bytes) -> None: ...

class Accuracy(Evaluator):
    def __init__(self, prediction: str = "prediction", target: str = "target") -> None: ...

class TopKAccuracy(Evaluator):
    def __init__(self, k: int, prediction: str = "prediction", target: str = "target") -> None: ...

class F1Score(Evaluator):
    def __init__(
        self,
        average: Literal["binary", "macro", "weighted", "micro"] = "binary",
        prediction: str = "prediction",
        target: str = "target",
    ) -> None: ...

class AreaUnderCurve(Evaluator):
    def __init__(self, prediction: str = "prediction", target: str = "target") -> None: ...

class MeanSquaredError(Evaluator):
    def __init__(self, prediction: str = "prediction", target: str = "target") -> None: ...

class Perplexity(Evaluator):
    def __init__(
        self,
        ignored: int | None = None,
        prediction: str = "prediction",
        target: str = "target",
    ) -> None: ...

class ModelScore(Evaluator):
    def __init__(
        self, compiled: CompiledModel, params: Arrays, output: str, *, state: Arrays = ...
    ) -> None: ...
