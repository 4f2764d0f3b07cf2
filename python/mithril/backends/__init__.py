"""The backends that a model can be compiled for."""

from typing import TYPE_CHECKING

from .._internal import migration_hints
from .cpu import CpuBackend
from .jax import JaxBackend
from .torch import TorchBackend

__all__ = ["CpuBackend", "JaxBackend", "TorchBackend"]

if not TYPE_CHECKING:  # type checkers must see only names that exist

    def __getattr__(name: str) -> None:
        migration_hints.refuse("module 'mithril.backends'", name, migration_hints.MODULE, __all__)
