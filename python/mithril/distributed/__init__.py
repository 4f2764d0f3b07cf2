"""Groups of processes: joining one, and collectives on arrays."""

from .collectives import all_gather, all_reduce, barrier, broadcast
from .group import Group
from .launch import init

__all__ = ["Group", "all_gather", "all_reduce", "barrier", "broadcast", "init"]
