"""Refuses gradients of single samples in one of several processes of torch.distributed."""

from __future__ import annotations

import sys
from typing import Any

from .._core import raise_error


def require_one_process(who: str) -> None:
    """Raises GradientError E0516 in a process group with other processes. It imports no torch."""
    distributed: Any = sys.modules.get("torch.distributed")
    if distributed is None or not distributed.is_available() or not distributed.is_initialized():
        return
    count = distributed.get_world_size()
    if count < 2:
        return
    raise_error(
        "GradientError",
        "E0516",
        f"{who}: gradients of single samples are computed by one process, and this is one of "
        "several",
        facts=[("process group", f"process {distributed.get_rank()} of {count}")],
        help="call it in a process without a process group, or call "
        "torch.distributed.destroy_process_group() first; the results of parts of a batch can be "
        "concatenated, because each sample has its own",
    )
