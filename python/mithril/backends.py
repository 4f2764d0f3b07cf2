"""The backends that a model can be compiled for."""

from .cpu_backend import CpuBackend
from .torch_backend import TorchBackend

__all__ = ["CpuBackend", "TorchBackend"]
