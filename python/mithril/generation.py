"""Text generation with language models."""

from ._core import generate

__all__ = ["generate"]
