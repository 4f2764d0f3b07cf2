"""Collectives of the group that `init` has made."""

from __future__ import annotations

from typing import Any

from .. import _core
from .._internal.arguments import checked_kinds
from . import launch
from .group import Group


def _group() -> Group:
    if launch.current is None:
        _core.raise_error(
            "DistributedError",
            "E0967",
            "this process is in no group yet",
            help="call ml.distributed.init() first",
        )
    return launch.current


@checked_kinds
def all_reduce(arrays: Any, reduction: str = "sum") -> Any:
    """Returns the sums of the arrays of all processes: see `Group.all_reduce`.

    All have the same shapes.

    Raises:
        DistributedError: If a process has failed or is too slow, or the arrays differ.

    Example:
        group = ml.distributed.init()
        rows = ml.distributed.all_reduce(np.array(32))

    See docs/distributed.md.
    """
    return _group().all_reduce(arrays, reduction)


@checked_kinds
def all_gather(array: Any) -> list[Any]:
    """Returns the arrays of all processes, by rank: see `Group.all_gather`.

    Their shapes may differ.

    Raises:
        DistributedError: If a process has failed or is too slow, or the arrays differ.

    Example:
        group = ml.distributed.init()
        ranks = ml.distributed.all_gather(np.array(group.rank))

    See docs/distributed.md.
    """
    return _group().all_gather(array)


@checked_kinds
def broadcast(arrays: Any, root: int = 0) -> Any:
    """Returns the arrays of process `root` on all processes: see `Group.broadcast`.

    All have the same shapes.

    Raises:
        DistributedError: If a process has failed or is too slow, or the arrays differ.

    Example:
        group = ml.distributed.init()
        params = ml.distributed.broadcast(params)

    See docs/distributed.md.
    """
    return _group().broadcast(arrays, root)


@checked_kinds
def barrier() -> None:
    """Returns when every process has called it: see `Group.barrier`.

    Example:
        group = ml.distributed.init()
        ml.distributed.barrier()

    See docs/distributed.md.
    """
    _group().barrier()
