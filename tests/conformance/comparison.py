"""Compares results with their references."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Comparison:
    """A reference and what the library gave instead; None where there is none."""

    what: str
    reference: Any
    result: Any

    def difference(self, tolerance: float) -> str:
        """What differs and by how much; empty where the result passes.

        It passes where it has the reference's shape and every difference is below the tolerance,
        or every difference is below the tolerance times its reference.
        """
        if self.reference is None or self.result is None:
            return f"{self.what} is {'unexpected' if self.reference is None else 'missing'}"
        expected = np.asarray(self.reference, np.float64)
        got = np.asarray(self.result, np.float64)
        if expected.shape != got.shape:
            return f"{self.what}: expected shape {expected.shape}, got {got.shape}"
        with np.errstate(all="ignore"):
            apart = np.where(expected == got, 0.0, np.abs(expected - got))
            scale = np.abs(expected)
            if np.all(apart < tolerance) or np.all(apart < tolerance * scale):
                return ""
            worst = np.unravel_index(np.argmax(apart), apart.shape)
            relative = apart[worst] / scale[worst]
        return (
            f"{self.what}: expected {expected[worst]!s}, got {got[worst]!s} at "
            f"{[int(index) for index in worst]}, off by {apart[worst]:.2g}, relative {relative:.2g}"
        )


def compared(
    what: str, references: Mapping[str, Any], results: Mapping[str, Any]
) -> list[Comparison]:
    """Compares the results with the references key by key; `what` names them in messages."""
    return [
        Comparison(f"{what} {key}", references.get(key), results.get(key))
        for key in sorted({*references, *results})
    ]


def differences(comparisons: list[Comparison], tolerance: float) -> list[str]:
    """Returns a text for each comparison that does not pass."""
    return [text for comparison in comparisons if (text := comparison.difference(tolerance))]
