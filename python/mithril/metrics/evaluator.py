"""The base classes of evaluators: of a whole data set, and of a score for each row."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np

from .. import _core
from .._core import raise_error
from .._internal.arguments import checked, checked_kinds
from .._internal.arrays import as_array


class Evaluator(ABC):
    """The base class of evaluators, which measure a model over a data set.

    An evaluator reads predictions and targets from batches by their keys. The result does not
    depend on how the rows are divided into batches. A derived class implements `update`, `compute`,
    `merge` and `reset`, and is a metric of `ml.fit` like the others.

    Example:
        class LargestError(ml.metrics.Evaluator):
            def __init__(self):
                self.reset()

            def update(self, batch):
                error = np.abs(np.asarray(batch["y"]) - batch["target"]).max()
                self.largest = max(self.largest, float(error))

            def compute(self):
                return self.largest

            def merge(self, other):
                self.largest = max(self.largest, other.largest)

            def reset(self):
                self.largest = 0.0

        metrics = {"largest_error": LargestError()}
        history = ml.fit(step, data, epochs=1, validation=data, metrics=metrics, progress=False)

    See docs/data.md.
    """

    @abstractmethod
    def update(self, batch: Mapping[str, Any]) -> None:
        """Adds the rows of a batch.

        Args:
            batch: dict of arrays that contains the predictions and targets.

        Raises:
            InputError: If a key is missing, or an array has another shape or dtype.

        Example:
            evaluator = ml.metrics.MeanSquaredError("y", "target")
            evaluator.update({**data, **compiled.evaluate(params, data)})
        """

    @abstractmethod
    def compute(self) -> float:
        """Returns the result over all rows.

        Raises:
            StateError: If no rows were added.

        Example:
            evaluator = ml.metrics.MeanSquaredError("y", "target")
            evaluator.update({"y": np.array([1.0, 3.0]), "target": np.array([1.0, 1.0])})
            assert evaluator.compute() == 2.0
        """

    @abstractmethod
    def merge(self, other: Any) -> None:
        """Adds the rows of another evaluator of the same class with the same options.

        Raises:
            TypeError: If its class or its options differ.

        Example:
            first, second = (ml.metrics.MeanSquaredError("y", "target") for _ in range(2))
            second.update({"y": np.array([1.0, 3.0]), "target": np.array([1.0, 1.0])})
            first.merge(second)
            assert first.compute() == 2.0
        """

    @abstractmethod
    def reset(self) -> None:
        """Removes all rows. `ml.fit` calls it before each validation.

        Example:
            evaluator = ml.metrics.MeanSquaredError("y", "target")
            evaluator.reset()
        """

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"


Evaluator.register(_core.Evaluator)


class SampleEvaluator(Evaluator):
    """The base class of evaluators that score each row by itself.

    The result is the mean of the scores. With a threshold it is the fraction of rows whose score is
    at least the threshold. A derived class implements `score`.

    Args:
        threshold: least score of a row that passes. None computes the mean.

    Example:
        class AbsoluteError(ml.metrics.SampleEvaluator):
            def score(self, batch):
                return np.abs(np.asarray(batch["y"]) - batch["target"]).mean(axis=1)

        error = AbsoluteError()
        error.update({**data, **compiled.evaluate(params, data)})
        mean, worst_row = error.compute(), error.scores.argmax()

    See docs/data.md.
    """

    @checked_kinds
    def __init__(self, *, threshold: float | None = None) -> None:
        self._threshold = threshold
        self._scores: list[float] = []

    @abstractmethod
    def score(self, batch: Mapping[str, Any]) -> Any:
        """Returns a score for each row of a batch, as an array [N] or [N, 1].

        Raises:
            InputError: If a key is missing.

        Example:
            scorer = ml.metrics.SampleScore(lambda y: y.sum(axis=1), inputs=["y"])
            assert list(scorer.score({"y": np.ones((3, 2))})) == [2.0, 2.0, 2.0]
        """

    @checked_kinds
    def update(self, batch: Mapping[str, Any]) -> None:
        """Adds the rows of a batch. After an error the evaluator is unchanged.

        Args:
            batch: dict of arrays that contains the predictions and targets.

        Raises:
            InputError: If a key is missing, or there is no score for each row.

        Example:
            scorer = ml.metrics.SampleScore(lambda y: y.sum(axis=1), inputs=["y"])
            scorer.update({"y": np.ones((3, 2))})
            assert scorer.scores.shape == (3,)
        """
        scores = scores_of(self, self.score(batch))
        rows = row_counts(batch)
        if len(rows) == 1 and rows != {len(scores)}:
            message = f"{type(self).__name__}: there are {len(scores)} scores for {rows.pop()} rows"
            raise_error("InputError", "E0882", message)
        self._scores += scores

    @property
    def scores(self) -> np.ndarray[Any, Any]:
        """The scores of all rows, in the order in which they were added: float64[N]."""
        return np.array(self._scores, np.float64)

    @property
    def passed(self) -> np.ndarray[Any, Any]:
        """Whether the score of each row is at least the threshold: bool[N].

        StateError E0932 without a threshold.
        """
        if self._threshold is None:
            name = type(self).__name__
            message = f"{name}: rows pass or fail only with a threshold"
            raise_error("StateError", "E0932", message, help="give one: threshold=0.5")
            raise AssertionError
        return self.scores >= self._threshold

    @checked
    def compute(self) -> float:
        """Returns the mean of the scores, or the fraction of rows that pass the threshold.

        Raises:
            StateError: If no rows were added.

        Example:
            scorer = ml.metrics.SampleScore(lambda y: y, inputs=["y"], threshold=0.5)
            scorer.update({"y": np.array([0.1, 0.6, 0.8, 0.9])})
            assert scorer.compute() == 0.75
        """
        require_rows(self, len(self._scores))
        if self._threshold is not None:
            return int(self.passed.sum()) / len(self._scores)
        if not all(map(math.isfinite, self._scores)):
            with np.errstate(invalid="ignore"):
                return float(self.scores.mean())
        return math.fsum(self._scores) / len(self._scores)  # in any order the same bits

    @checked
    def merge(self, other: Any) -> None:
        """Adds the rows of another evaluator, such as one of another thread.

        Raises:
            TypeError: If its class or its options differ.

        Example:
            first, second = ml.metrics.ExactMatch(), ml.metrics.ExactMatch()
            second.update({"prediction": ["yes", "no"], "target": ["yes", "yes"]})
            first.merge(second)
            assert first.compute() == 0.5
        """
        check_same(self, other)
        self._scores += other._scores

    @checked
    def reset(self) -> None:
        """Removes all rows.

        Example:
            match = ml.metrics.ExactMatch()
            match.update({"prediction": ["yes"], "target": ["yes"]})
            match.reset()
            assert len(match.scores) == 0
        """
        self._scores = []

    def _options(self) -> tuple[Any, ...]:
        return (self._threshold,)


def row_counts(batch: Mapping[str, Any]) -> set[int]:
    """The first dims of the arrays of a batch: one if they are rows of the same samples."""
    shapes = [getattr(value, "shape", None) for value in batch.values()]
    lists = [len(value) for value in batch.values() if isinstance(value, (list, tuple))]
    return {int(shape[0]) for shape in shapes if shape} | set(lists)


def scores_of(evaluator: Evaluator, scores: Any) -> list[float]:
    """Returns the scores of an array [N] or [N, 1]. InputError E0882 for anything else."""
    array = as_array(scores)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1 or array.dtype.kind not in "bifu":
        name = type(evaluator).__name__
        got = f"{array.dtype}[{', '.join(map(str, array.shape))}]"
        message = f"{name}: the function returned {got}, expected a number for each row"
        raise_error("InputError", "E0882", message)
    numbers: list[float] = array.astype(np.float64).tolist()
    return numbers


def value_at(evaluator: Evaluator, key: str, batch: Mapping[str, Any]) -> Any:
    """Returns the value of a key. InputError E0890 if the batch lacks it."""
    if key in batch:
        return batch[key]
    raise_error(
        "InputError",
        "E0890",
        f"{type(evaluator).__name__}: the batch lacks '{key}'",
        facts=[("known", ", ".join(map(str, batch)))],
        help="name the keys when the evaluator is made",
    )
    raise AssertionError


def require_rows(evaluator: Evaluator, rows: int) -> None:
    """Raises StateError E0930 without rows."""
    if rows > 0:
        return
    message = f"{type(evaluator).__name__}: compute was called before the first row"
    raise_error("StateError", "E0930", message, help="call update with a batch first")


def check_same(evaluator: Any, other: Any) -> None:
    """Raises TypeError E0310 unless class and options are the same.

    Functions and modules are the same if they are equal in Python. A copy of a module, such as that
    of another process, is another module: nothing tells whether it computes the same.
    """
    name = type(evaluator).__name__
    if type(other) is type(evaluator):
        options = zip(evaluator._options(), other._options(), strict=True)
        differing = [pair for pair in options if pair[0] is not pair[1] and pair[0] != pair[1]]
        if not differing:
            return
        if all(callable(option) for pair in differing for option in pair):
            advice = "give both the same function or module"
            if hasattr(evaluator, "scores"):
                advice += ", or take the mean of the `scores` of both"
            raise_error(
                "TypeError",
                "E0310",
                f"{name}: evaluators with different functions or modules cannot be merged",
                facts=[("own", repr(differing[0][0])), ("other", repr(differing[0][1]))],
                help=f"a copy, such as that of another process, is another one: {advice}",
            )
    raise_error(
        "TypeError",
        "E0310",
        f"{name}: an evaluator of another kind cannot be merged",
        facts=[("got", type(other).__name__)],
        help="merge evaluators of the same class with the same options",
    )
