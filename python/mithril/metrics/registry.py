"""A registry of evaluators by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import _core
from .._core import wrong_argument
from .._internal.arguments import checked, checked_kinds
from .._internal.registry import LazyRegistry
from .embeddings import EmbeddingSimilarity
from .evaluator import Evaluator
from .scorers import SampleScore
from .texts import Bleu, ExactMatch, RougeL

# Positional arguments of a constructor differ, so a maker takes any.
Maker = Callable[..., Any]


class EvaluatorsRegistry(LazyRegistry[Maker]):
    """Maps names to classes of evaluators, or to functions that make evaluators.

    `ml.metrics.registry` is the registry of the program, and has the classes of `ml.metrics` by
    names such as "f1_score". A registry is thread-safe.

    Example:
        registry = ml.metrics.EvaluatorsRegistry()
        registry.register("top3", lambda: ml.metrics.TopKAccuracy(3, "logits", "label"))
        evaluator = registry.create("top3")

    See docs/data.md.
    """

    _noun = "evaluator"

    @checked
    def __init__(self) -> None:
        super().__init__()

    @checked_kinds
    def register(self, name: str, make: Callable[..., Any], *, replace: bool = False) -> None:
        """Registers a class of evaluators, or a function that returns a new evaluator.

        Args:
            name: the name.
            make: the class or the function.
            replace: whether it replaces an older one of this name.

        Raises:
            NameError: If the name is registered already, unless `replace` is set.

        Example:
            registry = ml.metrics.EvaluatorsRegistry()
            registry.register("top3", lambda: ml.metrics.TopKAccuracy(3, "logits", "label"))
            assert registry.names == ["top3"]
        """
        self._add(name, lambda: make, replace)

    @checked_kinds
    def create(self, name: str, *args: Any, **options: Any) -> Any:
        """Returns a new evaluator.

        Args:
            name: a registered name.
            args: arguments of the class or the function.
            options: arguments by name.

        Raises:
            NameError: If the name is not registered.
            TypeError: If the function returns no evaluator.

        Example:
            f1 = ml.metrics.registry.create("f1_score", "macro", prediction="logits")
        """
        made = self._loaded(name)(*args, **options)
        if not isinstance(made, Evaluator):
            wrong_argument("create", "the result of the function", "an evaluator", made)
        return made


registry = EvaluatorsRegistry()
for _name, _make in {
    "accuracy": _core.Accuracy,
    "area_under_curve": _core.AreaUnderCurve,
    "bleu": Bleu,
    "embedding_similarity": EmbeddingSimilarity,
    "exact_match": ExactMatch,
    "f1_score": _core.F1Score,
    "mean_squared_error": _core.MeanSquaredError,
    "model_score": _core.ModelScore,
    "perplexity": _core.Perplexity,
    "rouge_l": RougeL,
    "sample_score": SampleScore,
    "top_k_accuracy": _core.TopKAccuracy,
}.items():
    registry.register(_name, _make)


@checked_kinds
def register(name: str, make: Callable[..., Any], *, replace: bool = False) -> None:
    """Registers a class of evaluators in `ml.metrics.registry`, or a function that makes one.

    Args:
        name: the name.
        make: the class, or a function that returns a new evaluator.
        replace: whether it replaces an older one of this name.

    Raises:
        NameError: If the name is registered already, unless `replace` is set.

    Example:
        def error():
            return ml.metrics.MeanSquaredError("y", "target")

        ml.metrics.register("error", error, replace=True)
        metrics = {"error": "error"}
        history = ml.fit(step, data, epochs=1, validation=data, metrics=metrics, progress=False)

    See docs/data.md.
    """
    registry.register(name, make, replace=replace)


@checked_kinds
def create(name: str, *args: Any, **options: Any) -> Any:
    """Returns a new evaluator of `ml.metrics.registry`.

    Args:
        name: a registered name.
        args: arguments of the class or the function.
        options: arguments by name.

    Raises:
        NameError: If the name is not registered.

    Example:
        f1 = ml.metrics.create("f1_score", "macro", prediction="logits", target="label")

    See docs/data.md.
    """
    return registry.create(name, *args, **options)
