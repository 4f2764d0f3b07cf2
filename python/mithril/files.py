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
    """The contents of a file, from `load`. Missing contents are None or an empty dict."""

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
    """A report of `load_state_dict`: missing, unexpected, tied and cast tensors.

    missing and unexpected are empty if it was strict. tied has the unused tensors whose elements
    are those of a used one. casts has the stored dtype and the dtype of the model by key.
    """

    missing: list[str]
    unexpected: list[str]
    tied: list[str]
    casts: dict[str, tuple[_core.dtype, _core.dtype]]


@checked_kinds
def with_prefix(tensors: Mapping[str, Any], prefix: str) -> dict[str, Any]:
    """The tensors of a dict, each key after the prefix: "encoder." + "fc1.weight".

    Example:
        params = {**ml.with_prefix(encoder_params, "encoder."), **head_params}
    """
    return {prefix + key: tensor for key, tensor in tensors.items()}


@checked_kinds
def without_prefix(tensors: Mapping[str, Any], prefix: str) -> dict[str, Any]:
    """The tensors whose keys begin with the prefix, under keys without it.

    The parameters of an outer model fit its part.

    Example:
        outputs = encoder.evaluate(ml.without_prefix(params, "encoder."), data)
    """
    size = len(prefix)
    return {key[size:]: tensor for key, tensor in tensors.items() if key.startswith(prefix)}


def load_checkpoint(path: str | os.PathLike[str]) -> Checkpoint:
    """The contents of a file or a folder of tensors, as `ml.load` documents it."""
    return Checkpoint(*_core._load_checkpoint(path))
