"""The rows of evaluators as bytes, which the processes of a group exchange."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np

from .evaluator import SampleEvaluator


def is_packable(evaluator: Any) -> bool:
    """Returns whether other processes can add the rows of this evaluator to theirs.

    An evaluator of the user is pickled. It is tried, because `merge` may refuse a copy. The
    evaluator has no rows.
    """
    if hasattr(evaluator, "_packed"):
        return evaluator._packed() is not None
    if keeps_scores_only(evaluator):
        return True
    try:
        merge_packed(evaluator, packed(evaluator))
    except Exception:
        return False
    evaluator.reset()
    return True


def packed(evaluator: Any) -> bytes:
    """Returns the rows as bytes."""
    if hasattr(evaluator, "_packed"):
        rows: bytes = evaluator._packed()
        return rows
    return evaluator.scores.tobytes() if keeps_scores_only(evaluator) else pickle.dumps(evaluator)


def merge_packed(evaluator: Any, rows: bytes) -> None:
    """Adds the rows that an evaluator with the same options has packed in another process."""
    if hasattr(evaluator, "_packed"):
        evaluator._merge_packed(rows)
    elif keeps_scores_only(evaluator):
        evaluator._scores += np.frombuffer(rows, np.float64).tolist()
    else:
        evaluator.merge(pickle.loads(rows))


def keeps_scores_only(evaluator: Any) -> bool:
    """Returns whether the scores are all that the evaluator remembers of its rows.

    Then nothing else is exchanged, such as the module that computes them.
    """
    names = ("update", "merge", "reset", "compute", "scores")
    return isinstance(evaluator, SampleEvaluator) and all(
        getattr(type(evaluator), name) is getattr(SampleEvaluator, name) for name in names
    )
