"""Text from language models."""

from ._core import generate

__all__ = ["generate"]
