"""Modules of torch with cond, scan and while_loop."""

from typing import Any

import torch
from torch import nn
from torch._higher_order_ops.scan import scan
from torch._higher_order_ops.while_loop import while_loop
from torch.utils import _pytree as pytree


class Chosen(nn.Module):
    """Both branches read a parameter; one reads a second one."""

    def __init__(self) -> None:
        super().__init__()
        self.one, self.other = nn.Linear(3, 3), nn.Linear(3, 3, bias=False)

    def forward(self, x: Any) -> Any:
        offset = torch.arange(3, dtype=x.dtype)
        return torch.cond(
            x.sum() > 0,
            lambda x: (self.one(x).sin() + offset, x * 2),
            lambda x: (self.other(self.one(x)).cos(), x + offset),
            (x,),
        )


class ChosenBySize(nn.Module):
    def forward(self, x: Any) -> Any:
        count = x.shape[0]
        return torch.cond(count > 4, lambda x: x.sin() * count, lambda x: x.cos() / count, (x,))


class Nested(nn.Module):
    """A choice in a choice, whose branches return ints and a bool, too."""

    def forward(self, x: Any) -> Any:
        def inner(x: Any) -> Any:
            return torch.cond(x[0, 0] > 0, lambda x: x.exp(), lambda x: x.sin(), (x,))

        def then(x: Any) -> Any:
            return inner(x) * 2, (x > 0).sum(), (x > 1).any()

        def otherwise(x: Any) -> Any:
            return inner(x.neg()), (x < 0).sum(), (x < 1).all()

        return torch.cond(x.sum() > 0, then, otherwise, (x,))


class Recurrent(nn.Module):
    """Several carries, an int and a bool among them, and parameters."""

    def __init__(self, reverse: bool = False, dim: int = 0) -> None:
        super().__init__()
        self.layer, self.options = nn.Linear(3, 3), {"reverse": reverse, "dim": dim}

    def forward(self, x: Any, h: Any) -> Any:
        def step(carry: Any, x: Any) -> Any:
            h, count, is_large = carry
            h = (self.layer(x) + h).tanh()
            count = count + (h.sum() > 0)
            return [h, count, is_large | (h > 0.9).any()], [h * 2, count.clone()]

        zero = torch.zeros((), dtype=torch.int64)
        (h, count, is_large), (all_h, counts) = scan(step, [h, zero, zero > 0], x, **self.options)
        return h, count, is_large, all_h, counts


class Double(nn.Module):
    """Two sequences, of which the body reads one, in a dict."""

    def forward(self, x: Any, h: Any) -> Any:
        def step(h: Any, sequences: Any) -> Any:
            return h * sequences["a"].cos() + x.mean(), h + 1.0

        return scan(step, h, {"a": x, "b": x * 2})


class Unread(nn.Module):
    """No step reads the sequence."""

    def forward(self, x: Any, h: Any) -> Any:
        return scan(lambda h, x: (h.sin(), h * 2), h, x)


class ChosenSteps(nn.Module):
    """A choice in each step."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(3, 3)

    def forward(self, x: Any, h: Any) -> Any:
        def step(h: Any, x: Any) -> Any:
            h = torch.cond(
                h.sum() > 0, lambda h, x: self.layer(x) + h.sin(), lambda h, x: x - h, (h, x)
            )
            return h, h * 2

        return scan(step, h, x)


class ScanOfScans(nn.Module):
    def forward(self, x: Any, h: Any) -> Any:
        def step(h: Any, x: Any) -> Any:
            h, rows = scan(lambda h, row: (h * 0.5 + row, h.sin()), h, x)
            return h, rows.sum(0)

        return scan(step, h, x)


class Halved(nn.Module):
    """The number of steps depends on elements."""

    def forward(self, x: Any) -> Any:
        def step(count: Any, x: Any) -> Any:
            return count + 1, x / 2

        zero = torch.zeros((), dtype=torch.int64)
        return while_loop(lambda count, x: x.abs().sum() > 1.0, step, (zero, x))


class Counted(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(3, 3)

    def forward(self, x: Any) -> Any:
        def step(count: Any, x: Any) -> Any:
            return count + 2, self.layer(x).tanh()

        start = torch.tensor(1)
        return while_loop(lambda count, x: count <= 8, step, (start, x))


class CountedToSize(nn.Module):
    """Torch makes an input of the body of the size."""

    def forward(self, x: Any) -> Any:
        size = x.shape[0]
        zero = torch.zeros((), dtype=torch.int64)
        return while_loop(
            lambda count, x: count < size, lambda count, x: (count + 1, x.sin() * size), (zero, x)
        )


class Bounded(nn.Module):
    def forward(self, x: Any) -> Any:
        def is_far(count: Any, x: Any) -> Any:
            return (count < 30) & (x.abs().sum() > 1.0)

        zero = torch.zeros((), dtype=torch.int64)
        return while_loop(is_far, lambda count, x: (count + 1, x / 2), (zero, x))


class Constants(nn.Module):
    """A constant of the body, and buffers that it reads."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("order", torch.tensor([2, 0, 1]))
        self.register_buffer("scale", torch.tensor([2.0, 0.5, 1.0]), persistent=False)

    def forward(self, x: Any, h: Any) -> Any:
        def step(h: Any, x: Any) -> Any:
            return h * torch.tensor([1.0, -2.0, 3.0]) + x[self.order] * self.scale, h.sum()

        return scan(step, h, x)


class InPlace(nn.Module):
    """A layer that changes what the layer before it has made."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(3, 3), nn.ReLU(inplace=True), nn.LayerNorm(3))

    def forward(self, x: Any, h: Any) -> Any:
        return scan(lambda h, x: (self.layers(x) + h, h * 2), h, x)


class ComplexCarry(nn.Module):
    def forward(self, x: Any, h: Any) -> Any:
        def step(h: Any, x: Any) -> Any:
            h = h * x + 1
            return h, h.real * 2

        return scan(step, torch.complex(h, h * 2), torch.complex(x, x.sin()))


class WithoutGradients(nn.Module):
    """A loop under no_grad, and no_grad in a loop."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(3, 3)

    def forward(self, x: Any, h: Any) -> Any:
        with torch.no_grad():
            h, first = scan(lambda h, x: (self.layer(x) + h, h * 2), h, x)

        def step(h: Any, x: Any) -> Any:
            with torch.no_grad():
                scale = self.layer(x)
            return h + scale * x, scale.sum()

        return first, *scan(step, h, x)


class IntsOfTorch(nn.Module):
    """An int in place of a tensor, a stride that is a size, and a parameter."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(3, 3)

    def forward(self, x: Any, h: Any) -> Any:
        def step(i: Any, x: Any) -> Any:
            return i + x.shape[0], self.layer(x).sin()

        start = x.shape[0]
        i, x = while_loop(lambda i, x: i * i < 40, step, (start, x))
        count, x = while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x * i), (0, x))
        return x + h, i, count


class ReadsNumbers(nn.Module):
    """Branches and steps read a number that is not a size of their tensors."""

    def forward(self, x: Any, h: Any) -> Any:
        count = x.shape[0] * 2
        h = torch.cond(h.sum() > 0, lambda h: h * count, lambda h: h.sin(), (h,))
        _, h = while_loop(
            lambda i, h: i < count, lambda i, h: (i + 1, h * 0.5 + count), (torch.tensor(2), h)
        )
        return scan(lambda h, x: (h + x, x * count), h, x)


class DifferentNumbers(nn.Module):
    """A condition with one element, and branches that return an int each."""

    def forward(self, x: Any, h: Any) -> Any:
        condition = x[:1, 0, 0] > 0
        x, number = torch.cond(condition, lambda x: (x * 2, 3), lambda x: (x.sin(), 5), (x,))
        return x * number + h


AXIS = [{0: "N"}]
CASES: dict[str, tuple[Any, list[Any], Any]] = {
    "cond": (Chosen, [(2, 3)], AXIS),
    "cond by a known size": (ChosenBySize, [(5, 3)], None),
    "cond by an open size": (ChosenBySize, [(5, 3)], AXIS),
    "cond in cond": (Nested, [(2, 3)], AXIS),
    "scan": (Recurrent, [(4, 2, 3), (2, 3)], [{0: "T", 1: "N"}, {0: "N"}]),
    "scan of known sizes": (Recurrent, [(4, 2, 3), (2, 3)], None),
    "scan backwards": (lambda: Recurrent(True), [(4, 2, 3), (2, 3)], [{0: "T"}, {}]),
    "scan along 1": (lambda: Recurrent(True, 1), [(2, 4, 3), (2, 3)], [{1: "T"}, {}]),
    "scan of two sequences": (Double, [(4, 2, 3), (2, 3)], [{0: "T", 1: "N"}, {0: "N"}]),
    "scan of unread sequences": (Unread, [(4, 2, 3), (2, 3)], [{0: "T"}, {}]),
    "cond in scan": (ChosenSteps, [(6, 2, 3), (2, 3)], [{0: "T"}, {}]),
    "scan in scan": (ScanOfScans, [(4, 2, 3), (3,)], [{0: "T"}, {}]),
    "while_loop": (Halved, [(2, 3)], AXIS),
    "counted while_loop": (Counted, [(2, 3)], AXIS),
    "while_loop counted to a size": (CountedToSize, [(3, 3)], AXIS),
    "bounded while_loop": (Bounded, [(2, 3)], AXIS),
}
WITHOUT_GRADIENTS = {"while_loop"}
# Torch has no gradients of loops and choices that return ints.
PLAIN = {"scan", "scan of known sizes", "scan backwards", "scan along 1", "cond in cond"}


def plain_cond(condition: Any, then: Any, otherwise: Any, operands: Any) -> Any:
    return (then if bool(condition) else otherwise)(*operands)


def plain_while(condition: Any, body: Any, carried: Any) -> Any:
    while bool(condition(*carried)):
        carried = body(*carried)
    return carried


def plain_scan(step: Any, carry: Any, x: Any, *, dim: int = 0, reverse: bool = False) -> Any:
    """What scan computes, written out."""
    steps = range(pytree.tree_leaves(x)[0].shape[dim])
    made: list[Any] = []
    for t in reversed(steps) if reverse else steps:
        carry, outputs = step(carry, pytree.tree_map(lambda value, t=t: value.select(dim, t), x))
        made.append(outputs)
    made = made[::-1] if reverse else made
    return carry, pytree.tree_map(lambda *values: torch.stack(values), *made)


MORE = [
    Constants,
    InPlace,
    ComplexCarry,
    WithoutGradients,
    IntsOfTorch,
    ReadsNumbers,
    DifferentNumbers,
]
