"""One step of GradDotProdEngine: its batches, and the mean of their gradients."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._core import Tensor

COLUMNS = ("dots", "batch_index", "iteration")  # of the log


@dataclass
class Step:
    """The batches of one step of the optimizer."""

    iteration: int
    parts: list[tuple[Any, Any, Any]] = field(default_factory=list)  # COLUMNS of each batch
    gradients: dict[str, Any] = field(default_factory=dict)  # their mean over all samples
    samples: int = 0
    prepared: bool = False
    logged: bool = False

    def add(self, gradients: dict[str, Any], samples: int) -> None:
        share = samples / max(self.samples + samples, 1)
        if self.samples:
            mean = self.gradients
            gradients = {key: _mixed(mean[key], value, share) for key, value in gradients.items()}
        self.gradients = gradients
        self.samples += samples


def host_array(value: Any) -> Any:
    """Returns the array in the memory of NumPy."""
    return np.asarray(value.detach().cpu() if hasattr(value, "cpu") else value)


def _mixed(mean: Any, value: Any, share: float) -> Any:
    if isinstance(value, Tensor):  # of bfloat16, which NumPy lacks
        first, second = (np.asarray(item, dtype=np.float32) for item in (mean, value))
        return Tensor(_mixed(first, second, share), value.dtype)
    return mean + (value - mean) * share
