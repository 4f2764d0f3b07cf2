"""The rows of evaluators as bytes, which the processes of a group exchange."""

from __future__ import annotations

from typing import Any

import numpy as np

from .evaluator import SampleEvaluator


def is_packable(evaluator: Any) -> bool:
    """Returns whether other processes can add the rows of this evaluator to theirs.

    They cannot for an evaluator of the user that keeps more than scores: bytes of any object would
    have to be unpickled. The evaluator has no rows.
    """
    if hasattr(evaluator, "_packed"):
        return evaluator._packed() is not None
    return keeps_scores_only(evaluator)


def packed(evaluator: Any) -> bytes:
    """Returns the rows as bytes."""
    rows: bytes = (
        evaluator._packed() if hasattr(evaluator, "_packed") else evaluator.scores.tobytes()
    )
    return rows


def merge_packed(evaluator: Any, rows: bytes) -> None:
    """Adds the rows that an evaluator with the same options has packed in another process."""
    if hasattr(evaluator, "_packed"):
        evaluator._merge_packed(rows)
    else:
        evaluator._scores += np.frombuffer(rows, np.float64).tolist()


def keeps_scores_only(evaluator: Any) -> bool:
    """Returns whether the scores are all that the evaluator remembers of its rows.

    Then nothing else is exchanged, such as the module that computes them.
    """
    names = ("update", "merge", "reset", "compute", "scores")
    return isinstance(evaluator, SampleEvaluator) and all(
        getattr(type(evaluator), name) is getattr(SampleEvaluator, name) for name in names
    )
