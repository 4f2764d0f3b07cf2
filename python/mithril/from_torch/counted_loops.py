"""Loops of torch's while_loop that count their steps: `while i < n` with `i + 1` in each step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from torch import fx

from .names import target_text

if TYPE_CHECKING:
    from .convert import Conversion

LESS = frozenset(["aten.lt", "lt"])
LESS_OR_EQUAL = frozenset(["aten.le", "le"])
BOTH = frozenset(["aten.__and__", "aten.bitwise_and", "aten.logical_and", "and_"])
ADDED = frozenset(["aten.add", "add"])
COPIED = frozenset(
    ["aten.lift_fresh_copy", "aten.clone", "aten.detach", "aten.alias", "aten._to_copy"]
)
FILLED = frozenset(["aten.full", "aten.scalar_tensor"])


@dataclass
class Steps:
    bound: Any  # the most steps: an int or a connection
    is_exact: bool  # the loop takes this number of steps: no other condition ends it


def steps_of(
    conversion: Conversion, condition: fx.Graph, body: fx.Graph, operands: Any, carries: int
) -> Steps | None:
    """The number of steps, if a carry counts them. None: it is not known before the loop runs."""
    terms = terms_of(output_of(condition))
    for term in terms:
        bound = bound_of(conversion, term, body, operands, carries)
        if bound is not None:
            return Steps(bound, is_exact=len(terms) == 1)
    return None


def output_of(graph: fx.Graph) -> Any:
    made = next(node for node in graph.nodes if node.op == "output").args[0]
    return made[0] if isinstance(made, list | tuple) else made


def terms_of(value: Any) -> list[Any]:
    """The terms of a conjunction."""
    if isinstance(value, fx.Node) and target_text(value) in BOTH:
        return [term for argument in value.args for term in terms_of(argument)]
    return [value]


def bound_of(conversion: Conversion, term: Any, body: fx.Graph, operands: Any, carries: int) -> Any:
    if not isinstance(term, fx.Node) or target_text(term) not in LESS | LESS_OR_EQUAL:
        return None
    counter, limit = term.args[:2]
    place = position_of(counter)
    if place is None or place >= carries or not is_int(counter):
        return None
    stride = stride_of(body, place)
    start = number_of(conversion, operands[place])
    end = limit_of(conversion, limit, operands, carries)
    if stride is None or start is None or end is None:
        return None
    if isinstance(end, int):
        end += target_text(term) in LESS_OR_EQUAL
        return max(0, -((start - end) // stride))
    return end if (start, stride) == (0, 1) and target_text(term) in LESS else None


def position_of(node: Any) -> int | None:
    """The index of the node among the arguments of its graph. None: it is none of them."""
    if not isinstance(node, fx.Node) or node.op != "placeholder":
        return None
    inputs = [one for one in node.graph.nodes if one.op == "placeholder"]
    return inputs.index(node)


def is_int(node: fx.Node) -> bool:
    value = node.meta["val"]
    if isinstance(value, torch.Tensor):
        return bool(value.dtype == torch.int64 and value.dim() == 0)
    return isinstance(value, torch.SymInt | int)


def stride_of(body: fx.Graph, place: int) -> int | None:
    """The positive int that each step adds to the argument. None: it does something else."""
    made = next(node for node in body.nodes if node.op == "output").args[0][place]
    if not isinstance(made, fx.Node) or target_text(made) not in ADDED or made.kwargs:
        return None
    left, right = made.args[:2]
    counter, stride = (right, left) if isinstance(left, int) else (left, right)
    is_count = position_of(counter) == place and isinstance(stride, int) and stride > 0
    return stride if is_count else None


def limit_of(conversion: Conversion, limit: Any, operands: Any, carries: int) -> Any:
    """The int or the size that the counter is compared with. None: steps may change it."""
    if isinstance(limit, int):
        return limit
    place = position_of(limit)
    if place is None or place < carries or not isinstance(limit.meta["val"], torch.SymInt):
        return None
    return conversion.filled(operands[place])


def number_of(conversion: Conversion, value: Any) -> int | None:
    """The value as an int that the program states. None: it is computed."""
    if isinstance(value, int):
        return value
    if not isinstance(value, fx.Node):
        return None
    constant = conversion.constant(value)
    if constant is not None:
        return int(constant) if constant.numel() == 1 else None
    name = target_text(value) if value.op == "call_function" else ""
    if name in COPIED:
        return number_of(conversion, value.args[0])
    stated = {"aten.zeros": 0, "aten.ones": 1}.get(name)
    if name in FILLED and isinstance(value.args[-1], int):
        stated = value.args[-1]
    return stated
