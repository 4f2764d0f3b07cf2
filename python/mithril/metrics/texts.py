"""Evaluators of generated texts: exact match, ROUGE-L and BLEU."""

from __future__ import annotations

import copy
import math
from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from .._core import raise_error
from .._internal.arguments import checked, checked_kinds
from .._internal.arrays import as_array
from ..data.checks import at_least
from .evaluator import Evaluator, SampleEvaluator, check_same, require_rows, value_at

Tokens = Sequence[Any]
Tokenize = Callable[[str], Tokens]


class TextRow(NamedTuple):
    """The tokens of a prediction and of its references."""

    prediction: list[Any]
    references: list[list[Any]]


def text_rows(evaluator: Any, batch: Mapping[str, Any]) -> Iterator[TextRow]:
    """Yields the rows of a batch. InputError E0890, E0891, E0892."""
    name = type(evaluator).__name__
    keys = evaluator._prediction, evaluator._target
    predictions, targets = (_rows(name, key, value_at(evaluator, key, batch)) for key in keys)
    if len(predictions) != len(targets):
        message = f"{name}: '{keys[0]}' has the dims [{len(predictions)}]"
        message += f", expected [{len(targets)}] as the target"
        raise_error("InputError", "E0891", message)
    for prediction, target in zip(predictions, targets, strict=True):
        several = isinstance(target, (list, tuple)) and any(isinstance(t, str) for t in target)
        yield TextRow(
            _tokens(evaluator, keys[0], prediction),
            [_tokens(evaluator, keys[1], text) for text in (target if several else [target])],
        )


def _rows(name: str, key: str, value: Any) -> Sequence[Any]:
    """Returns the texts or the rows of ids under a key."""
    if isinstance(value, (list, tuple)):
        return value
    array = as_array(value)
    if array.ndim == 0:
        _refuse(name, key, array)
    rows: list[Any] = array.tolist()
    return rows


def _tokens(evaluator: Any, key: str, row: Any) -> list[Any]:
    """Returns the tokens of a text, or the ids themselves."""
    if isinstance(row, str):
        return list(evaluator._tokenizer(row))
    try:
        ids = as_array(row)
    except ValueError:  # lists of different lengths
        ids = np.array(None)
    if ids.ndim != 1 or (ids.size and ids.dtype.kind not in "iu"):
        _refuse(type(evaluator).__name__, key, row)
    tokens: list[Any] = ids.tolist()
    return tokens


def _refuse(name: str, key: str, row: Any) -> None:
    message = f"{name}: '{key}' has a row of {type(row).__name__}, expected texts or lists of ids"
    raise_error("InputError", "E0892", message)


class _TextScore(SampleEvaluator):
    """An evaluator that scores each prediction against its best reference."""

    def __init__(
        self, tokenizer: Tokenize, prediction: str, target: str, threshold: float | None
    ) -> None:
        super().__init__(threshold=threshold)
        self._tokenizer, self._prediction, self._target = tokenizer, prediction, target

    @checked_kinds
    def score(self, batch: Mapping[str, Any]) -> list[float]:
        """Returns the scores [N] of the rows of a batch, each that of its best reference.

        Raises:
            InputError: If a key is missing, or a row is neither a text nor a list of ids.

        Example:
            match = ml.metrics.ExactMatch()
            batch = {"prediction": ["yes", "no"], "target": ["yes", "yes"]}
            assert match.score(batch) == [1.0, 0.0]
        """
        return [
            max((self._similarity(row.prediction, one) for one in row.references), default=0.0)
            for row in text_rows(self, batch)
        ]

    @abstractmethod
    def _similarity(self, prediction: list[Any], reference: list[Any]) -> float:
        """Returns the score of a prediction beside one reference."""

    def _options(self) -> tuple[Any, ...]:
        return (*super()._options(), self._tokenizer, self._prediction, self._target)


class ExactMatch(_TextScore):
    """Computes the fraction of predictions whose tokens equal those of a reference.

    Rows are texts or lists of ids. A list of texts as a target is several references.

    Args:
        tokenizer: function of a text that returns its tokens or ids.
        prediction: key of the predictions.
        target: key of the targets.

    Example:
        match = ml.metrics.ExactMatch(lambda text: text.lower().split())
        match.update({"prediction": ["The  cat", "A dog"], "target": ["the cat", "a cat"]})
        assert match.compute() == 0.5

    See docs/data.md.
    """

    @checked_kinds
    def __init__(
        self,
        tokenizer: Callable[[str], Sequence[Any]] = str.split,
        prediction: str = "prediction",
        target: str = "target",
    ) -> None:
        super().__init__(tokenizer, prediction, target, None)

    def _similarity(self, prediction: list[Any], reference: list[Any]) -> float:
        return float(prediction == reference)


class RougeL(_TextScore):
    """Computes the mean ROUGE-L of predictions: the F1 score of the longest common subsequence.

    With P = LCS / tokens of the prediction and R = LCS / tokens of the reference it is
    2 P R / (P + R). Of several references the best one counts. Source: Lin, "ROUGE: A Package for
    Automatic Evaluation of Summaries" (2004).

    Args:
        tokenizer: function of a text that returns its tokens or ids.
        prediction: key of the predictions.
        target: key of the targets.
        threshold: least score of a row that passes. None computes the mean.

    Example:
        rouge = ml.metrics.RougeL()
        rouge.update({"prediction": ["a b c"], "target": ["a x c d"]})
        assert abs(rouge.compute() - 2 * (2 / 3) * (2 / 4) / (2 / 3 + 2 / 4)) < 1e-12

    See docs/data.md.
    """

    @checked_kinds
    def __init__(
        self,
        tokenizer: Callable[[str], Sequence[Any]] = str.split,
        prediction: str = "prediction",
        target: str = "target",
        *,
        threshold: float | None = None,
    ) -> None:
        super().__init__(tokenizer, prediction, target, threshold)

    def _similarity(self, prediction: list[Any], reference: list[Any]) -> float:
        common = longest_common_subsequence(prediction, reference)
        if common == 0:
            return 0.0
        precision, recall = common / len(prediction), common / len(reference)
        return 2 * precision * recall / (precision + recall)


def longest_common_subsequence(a: Tokens, b: Tokens) -> int:
    """Returns the length of the longest common subsequence."""
    lengths = [0] * (len(b) + 1)
    for token in a:
        diagonal = 0
        for i, other in enumerate(b, 1):
            above = lengths[i]
            lengths[i] = diagonal + 1 if token == other else max(above, lengths[i - 1])
            diagonal = above
    return lengths[-1]


class Bleu(Evaluator):
    """Computes the BLEU score of all predictions together, from 0 to 1.

    It is the geometric mean of the precisions of n-grams, times exp(1 - r / p) if the predictions
    have fewer tokens p than the closest references r. Source: Papineni et al., "BLEU: a Method for
    Automatic Evaluation of Machine Translation" (2002).

    Args:
        tokenizer: function of a text that returns its tokens or ids.
        prediction: key of the predictions.
        target: key of the targets.
        max_order: largest n, at least 1.
        smoothing: "none", or "exp" to replace the k-th precision of zero by that of 1 / 2^k
            matches, as sacrebleu does.

    Example:
        bleu = ml.metrics.Bleu()
        bleu.update({"prediction": ["the cat sat on the mat"], "target": ["the cat sat on a mat"]})
        assert 0.5 < bleu.compute() < 0.6

    See docs/data.md.
    """

    @checked_kinds
    def __init__(
        self,
        tokenizer: Callable[[str], Sequence[Any]] = str.split,
        prediction: str = "prediction",
        target: str = "target",
        *,
        max_order: int = 4,
        smoothing: Literal["none", "exp"] = "none",
    ) -> None:
        self._tokenizer, self._prediction, self._target = tokenizer, prediction, target
        self._max_order = at_least("Bleu", "max_order", max_order, 1)
        self._smoothing = smoothing
        self.reset()

    @checked_kinds
    def update(self, batch: Mapping[str, Any]) -> None:
        """Adds the rows of a batch. After an error the evaluator is unchanged.

        Args:
            batch: dict that contains the predictions and targets, texts or lists of ids. A list of
                texts as a target is several references.

        Raises:
            InputError: If a key is missing, or a row is neither a text nor a list of ids.

        Example:
            bleu = ml.metrics.Bleu()
            bleu.update({"prediction": ["the cat sat"], "target": [["a cat sat", "the cat sat"]]})
        """
        for prediction, references in list(text_rows(self, batch)):
            self._rows += 1
            self._length += len(prediction)
            lengths = map(len, references)
            distances = ((abs(length - len(prediction)), length) for length in lengths)
            self._reference_length += min(distances, default=(0, 0))[1]
            for n in range(1, self._max_order + 1):
                found = ngrams(prediction, n)
                allowed: Counter[Any] = Counter()
                for reference in references:
                    allowed |= ngrams(reference, n)
                self._matches[n - 1] += (found & allowed).total()
                self._ngrams[n - 1] += found.total()

    @checked
    def compute(self) -> float:
        """Returns the BLEU score over all rows.

        Raises:
            StateError: If no rows were added.

        Example:
            bleu = ml.metrics.Bleu(max_order=2)
            bleu.update({"prediction": ["the cat sat"], "target": ["the cat sat"]})
            assert bleu.compute() == 1.0
        """
        require_rows(self, self._rows)
        if not any(self._matches) or not all(self._ngrams):
            return 0.0
        logarithms, halved = [], 1.0
        for matches, count in zip(self._matches, self._ngrams, strict=True):
            if matches == 0 and self._smoothing == "none":
                return 0.0
            if matches == 0:
                halved /= 2
            logarithms.append(math.log((matches or halved) / count))
        brevity = min(0.0, 1 - self._reference_length / self._length)
        return math.exp(brevity + math.fsum(logarithms) / self._max_order)

    @checked
    def merge(self, other: Any) -> None:
        """Adds the rows of another evaluator, such as one of another thread.

        Raises:
            TypeError: If its class or its options differ.

        Example:
            first, second = ml.metrics.Bleu(), ml.metrics.Bleu()
            second.update({"prediction": ["the cat sat"], "target": ["the cat sat"]})
            first.merge(second)
        """
        check_same(self, other)
        self._rows += other._rows
        self._length += other._length
        self._reference_length += other._reference_length
        for own, added in ((self._matches, other._matches), (self._ngrams, other._ngrams)):
            own[:] = [a + b for a, b in zip(own, added, strict=True)]

    def _packed(self) -> bytes:
        counts = [self._rows, self._length, self._reference_length, *self._matches, *self._ngrams]
        return np.array(counts, np.int64).tobytes()

    def _merge_packed(self, rows: bytes) -> None:
        counts = np.frombuffer(rows, np.int64).tolist()
        other = copy.copy(self)
        other._rows, other._length, other._reference_length = counts[:3]
        other._matches, other._ngrams = counts[3 : -self._max_order], counts[-self._max_order :]
        self.merge(other)

    @checked
    def reset(self) -> None:
        """Removes all rows.

        Example:
            bleu = ml.metrics.Bleu()
            bleu.reset()
        """
        self._rows = self._length = self._reference_length = 0
        self._matches = [0] * self._max_order
        self._ngrams = [0] * self._max_order

    def _options(self) -> tuple[Any, ...]:
        keys = self._tokenizer, self._prediction, self._target
        return (*keys, self._max_order, self._smoothing)


def ngrams(tokens: Tokens, n: int) -> Counter[Any]:
    """Counts the runs of n tokens."""
    return Counter(tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1))
