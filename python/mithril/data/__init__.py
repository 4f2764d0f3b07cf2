"""Data sets as sources of rows, for `fit` and for training loops of your own."""

from .open import from_arrays, from_csv, from_idx, from_npy, from_safetensors, from_torch
from .registry import SourcesRegistry, load, register, registry
from .source import Batches, DataSource, Field

__all__ = [
    "Batches",
    "DataSource",
    "Field",
    "SourcesRegistry",
    "from_arrays",
    "from_csv",
    "from_idx",
    "from_npy",
    "from_safetensors",
    "from_torch",
    "load",
    "register",
    "registry",
]
