"""The similarity of texts by the embeddings of their tokens."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .._core import raise_error
from .._internal.arguments import checked_kinds
from .._internal.arrays import as_array
from .scorers import called
from .texts import _TextScore


class EmbeddingSimilarity(_TextScore):
    """Computes the mean similarity of predictions and references by their embeddings.

    Each token is matched with the most similar token of the other text by the cosine of their
    embeddings. P is the mean over the tokens of the prediction, R the mean over those of the
    reference, and the score of a row is 2 P R / (P + R). Source: Zhang et al., "BERTScore:
    Evaluating Text Generation with BERT" (2020), without weights of tokens. A text without tokens
    scores 0.

    Args:
        embed: function of the L tokens of a text that returns their embeddings [L, D]; or a module
            of PyTorch, which is called with an int64 tensor of ids [L].
        tokenizer: function of a text that returns its tokens or ids.
        prediction: key of the predictions.
        target: key of the targets.
        threshold: least score of a row that passes. None computes the mean.

    `merge` takes evaluators with the same `embed` and `tokenizer`. Those of several processes have
    copies of a module: join their `scores` instead.

    Example:
        vectors = {"cat": [1.0, 0.1], "kitten": [0.9, 0.2], "car": [0.0, 1.0]}
        similarity = ml.metrics.EmbeddingSimilarity(
            lambda tokens: [vectors[token] for token in tokens], threshold=0.9
        )
        similarity.update({"prediction": ["kitten", "car"], "target": ["cat", "cat"]})
        assert similarity.compute() == 0.5

    See docs/data.md.
    """

    @checked_kinds
    def __init__(
        self,
        embed: Callable[[Sequence[Any]], Any],
        tokenizer: Callable[[str], Sequence[Any]] = str.split,
        prediction: str = "prediction",
        target: str = "target",
        *,
        threshold: float | None = None,
    ) -> None:
        super().__init__(tokenizer, prediction, target, threshold)
        self._embed = embed

    def _similarity(self, prediction: list[Any], reference: list[Any]) -> float:
        if not prediction or not reference:
            return 0.0
        cosines = self._directions(prediction) @ self._directions(reference).T
        precision, recall = cosines.max(axis=1).mean(), cosines.max(axis=0).mean()
        total = precision + recall
        return 0.0 if total <= 0 else float(2 * precision * recall / total)

    def _directions(self, tokens: list[Any]) -> Any:
        """Returns the embeddings with length 1; zeros stay zeros. InputError E0882."""
        vectors = as_array(called(self._embed, tokens))
        if vectors.ndim != 2 or len(vectors) != len(tokens) or vectors.dtype.kind not in "biuf":
            got = f"{vectors.dtype}[{', '.join(map(str, vectors.shape))}]"
            message = f"{type(self).__name__}: the function returned {got}, "
            message += f"expected an embedding for each of {len(tokens)} tokens"
            raise_error("InputError", "E0882", message)
        vectors = vectors.astype(np.float64)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors / np.where(lengths > 0, lengths, 1)

    def _options(self) -> tuple[Any, ...]:
        return (*super()._options(), self._embed)
