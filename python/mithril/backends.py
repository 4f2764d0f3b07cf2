"""The backends that a model can be compiled for."""

from ._core import CpuBackend

__all__ = ["CpuBackend"]
