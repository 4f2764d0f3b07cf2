"""Engines, which serve compiled models to many threads."""

from .._core import Engine, PendingAnswer

__all__ = ["Engine", "PendingAnswer"]
