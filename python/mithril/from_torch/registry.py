"""The table of `ml.from_torch`: what each operator of ATen becomes."""

from __future__ import annotations

import math
import operator
from typing import Any

import torch

from .._core import Connection
from .builders import Builder, Table, size, tensor
from .ops import (
    activations,
    arithmetic,
    attention,
    complex_numbers,
    creation,
    diagonals,
    indexing,
    layers,
    linalg,
    losses,
    normalization,
    pooling,
    recurrent,
    reductions,
    resizing,
    shapes,
    slice_scatter,
    sorting,
)

ATEN: Table = {
    **arithmetic.TABLE,
    **linalg.TABLE,
    **activations.TABLE,
    **reductions.TABLE,
    **shapes.TABLE,
    **creation.TABLE,
    **indexing.TABLE,
    **diagonals.TABLE,
    **slice_scatter.TABLE,
    **layers.TABLE,
    **normalization.TABLE,
    **sorting.TABLE,
    **pooling.TABLE,
    **recurrent.TABLE,
    **resizing.TABLE,
    **losses.TABLE,
    **attention.TABLE,
    **complex_numbers.TABLE,
}


def sym_size(self: Connection, dim: int) -> Any:
    return size(self, dim)


def numel(self: Connection) -> Any:
    known = self.dims
    if known is None or any(dim is None for dim in known):
        return self.size()
    return math.prod(dim for dim in known if dim is not None)


def compared(relation: Any, left: Any, right: Any) -> Any:
    """A bool if both sizes are known, and otherwise a tensor."""
    is_open = isinstance(left, Connection) or isinstance(right, Connection)
    return relation(tensor(left), tensor(right)) if is_open else relation(left, right)


# Arithmetic of sizes, and operators of torch that are not operators of ATen.
OTHERS: dict[Any, Builder] = {
    operator.getitem: lambda parts, index: parts[index],
    operator.add: operator.add,
    operator.sub: operator.sub,
    operator.mul: operator.mul,
    operator.floordiv: operator.floordiv,
    operator.mod: lambda left, right: left - left // right * right,
    operator.truediv: operator.truediv,
    operator.pow: operator.pow,
    operator.neg: operator.neg,
    torch.sym_float: lambda size: size * 1.0,
    torch.sym_int: lambda size: size,
    torch.ops.aten.sym_size.int: sym_size,
    torch.ops.aten.sym_numel.default: numel,
    operator.ge: lambda left, right: compared(operator.ge, left, right),
    operator.le: lambda left, right: compared(operator.le, left, right),
    operator.eq: lambda left, right: compared(operator.eq, left, right),
    operator.ne: lambda left, right: compared(operator.ne, left, right),
    operator.gt: lambda left, right: compared(operator.gt, left, right),
    operator.lt: lambda left, right: compared(operator.lt, left, right),
    operator.and_: operator.and_,
    operator.or_: operator.or_,
    torch.sym_not: lambda value: ~value if isinstance(value, Connection) else not value,
}
DROPPED = frozenset(
    [
        torch.ops.aten._assert_tensor_metadata.default,
        torch.ops.aten._assert_scalar.default,
        torch.ops.aten._assert_async.msg,
        torch.ops.aten._linalg_check_errors.default,
        torch.ops.aten.sym_constrain_range_for_size.default,
    ]
)
REGIONS = frozenset(
    [
        torch.ops.higher_order.wrap_with_set_grad_enabled,
        torch.ops.higher_order.wrap_with_autocast,
    ]
)
# Operators that run graphs.
COND = torch.ops.higher_order.cond
SCAN = torch.ops.higher_order.scan
CONTROL = frozenset([COND, SCAN, torch.ops.higher_order.while_loop])


def row_of(target: Any) -> Any:
    """The builder of an operator, the operator itself where the conversion treats it, or None."""
    if target in REGIONS or target in DROPPED or target in CONTROL:
        return target
    if target in OTHERS:
        return OTHERS[target]
    if not isinstance(target, torch._ops.OpOverload):
        return None
    if target.namespace not in {"aten", "mithril_export"}:
        return None
    name = target._schema.name.removeprefix("aten::")
    overload = target._overloadname
    return ATEN.get(f"{name}.{overload}", None if is_out(overload) else ATEN.get(name))


def is_out(overload: str) -> bool:
    return overload == "out" or overload.endswith("_out")


def has_row(target: Any) -> bool:
    return row_of(target) is not None
