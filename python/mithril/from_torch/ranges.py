"""Indices of `ml.from_torch` that torch.arange makes: all elements of an axis, in their order."""

from __future__ import annotations

from typing import Any

import torch

# Operators whose result has the elements of the first argument in their order, if as many.
MOVES = frozenset(
    [
        *(torch.ops.aten.unsqueeze.default, torch.ops.aten.view.default),
        *(torch.ops.aten.reshape.default, torch.ops.aten.slice.Tensor),
        *(torch.ops.aten.alias.default, torch.ops.aten.clone.default),
        torch.ops.aten._to_copy.default,
    ]
)
RANGES = frozenset(
    [
        *(torch.ops.aten.arange.default, torch.ops.aten.arange.start),
        torch.ops.aten.arange.start_step,
    ]
)


def counted_axis(node: Any, size: Any, rank: int) -> int | None:
    """The axis of an index, broadcast to this rank, along which it is 0, 1, ..., size - 1; None
    for any other index."""
    dims = [str(dim) for dim in node.meta["val"].shape]
    while has_length(node, size) and node.target in MOVES:
        node = node.args[0]
    if not has_length(node, size) or node.target not in RANGES:
        return None
    start = node.args[0] if len(node.args) > 1 else 0
    step = node.args[2] if len(node.args) > 2 else 1
    return dims.index(str(size)) + rank - len(dims) if (start, step) == (0, 1) else None


def range_axis(node: Any, rank: int) -> int | None:
    """The axis of an index, broadcast to this rank, along which it is 0, 1, ... of any length; None
    for any other index."""
    long = [str(dim) for dim in node.meta["val"].shape if str(dim) != "1"]
    return counted_axis(node, long[0], rank) if len(long) == 1 else None


def has_length(node: Any, size: Any) -> bool:
    """Whether the tensor has this size along one axis, and 1 along all others."""
    return [str(dim) for dim in node.meta["val"].shape if str(dim) != "1"] == [str(size)]
