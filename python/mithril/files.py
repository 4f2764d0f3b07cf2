"""Files of tensors: checkpoints, and the formats of other libraries."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, NamedTuple

from . import _core
from ._core import Model, WeightSource, load_safetensors, save, save_safetensors
from ._internal.arguments import checked_kinds
from ._internal.summaries import summary_of

__all__ = [
    "Checkpoint",
    "WeightReport",
    "WeightSource",
    "load_safetensors",
    "save",
    "save_safetensors",
    "with_prefix",
    "without_prefix",
]


class Checkpoint(NamedTuple):
    """The contents of a checkpoint, as `ml.load` returns it.

    Missing contents are None or an empty dict. `metadata` has the other texts of the file.

    Example:
        ml.save("run.safetensors", params, optimizer=optimizer, step=step)
        saved = ml.load("run.safetensors")
        optimizer.load_state_dict(saved.optimizer)

    See docs/checkpoints.md.
    """

    params: dict[str, Any]
    model: Model | None
    optimizer: dict[str, Any]
    state: dict[str, Any]
    scaler: dict[str, Any]
    metadata: dict[str, str]  # the other texts of the file

    def __repr__(self) -> str:
        lines = ["Checkpoint", f"  params: {summary_of(self.params)}"]
        if self.model is not None:
            lines.append(f"  model: of {', '.join(self.model.input_keys)[:60]}")
        for name in ("optimizer", "state"):
            if tensors := getattr(self, name):
                lines.append(f"  {name}: {summary_of(tensors)}")
        if self.scaler:
            lines.append(f"  scaler: scale {self.scaler['scale']:g}")
        if self.metadata:
            lines.append(f"  metadata: {', '.join(sorted(self.metadata))[:60]}")
        return "\n".join(lines)


class WeightReport(NamedTuple):
    """The report of `load_state_dict`: missing, unexpected, tied and cast tensors.

    `missing` and `unexpected` are empty if loading was strict. `tied` lists unused tensors whose
    elements equal those of a used tensor. `casts` is a dict from keys to the dtype in the file and
    the dtype in the model.

    Example:
        _, report = compiled.load_state_dict(params, return_report=True)
        casts = report.casts

    See docs/checkpoints.md.
    """

    missing: list[str]
    unexpected: list[str]
    tied: list[str]
    casts: dict[str, tuple[_core.dtype, _core.dtype]]


@checked_kinds
def with_prefix(tensors: Mapping[str, Any], prefix: str) -> dict[str, Any]:
    """Adds a prefix to each key of a dict of tensors.

    Args:
        tensors: dict of tensors.
        prefix: text such as "encoder.".

    Returns:
        Dict of the same tensors under the longer keys.

    Example:
        outer = ml.with_prefix(params, "encoder.")

    See docs/checkpoints.md.
    """
    return {prefix + key: tensor for key, tensor in tensors.items()}


@checked_kinds
def without_prefix(tensors: Mapping[str, Any], prefix: str) -> dict[str, Any]:
    """Selects the tensors whose keys begin with a prefix, and removes the prefix.

    It turns the parameters of an outer model into those of one of its parts.

    Args:
        tensors: dict of tensors.
        prefix: text such as "encoder.".

    Returns:
        Dict of the selected tensors under the shorter keys.

    Example:
        outer = ml.with_prefix(params, "encoder.")
        inner = ml.without_prefix(outer, "encoder.")

    See docs/checkpoints.md.
    """
    size = len(prefix)
    return {key[size:]: tensor for key, tensor in tensors.items() if key.startswith(prefix)}


def load_checkpoint(path: str | os.PathLike[str]) -> Checkpoint:
    """Loads a file or a folder of tensors, as `ml.load` documents."""
    return Checkpoint(*_core._load_checkpoint(path))
