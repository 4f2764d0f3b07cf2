"""Compares the backward of a custom function of autograd with the derivative of its forward, which
is the gradient of the operators that torch.export shows."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch

# `Function.apply` calls `apply` of this class, also where forward calls `f` after `f = F.apply`.
BASE = torch.autograd.function._SingleLevelFunction
# Scales of inputs and incoming gradients: a backward may differ near 0 only, or for large values.
SCALES = (1.0, 100.0, 0.01)


@dataclass(frozen=True)
class Example:
    """A tensor in a call of a function. Sizes that stay symbolic are 4."""

    sizes: tuple[int, ...]
    dtype: torch.dtype
    device: torch.device

    def tensor(self, scale: float) -> torch.Tensor:
        if self.dtype.is_complex:
            raise TypeError("functions of complex tensors are not compared")
        if not self.dtype.is_floating_point:
            return torch.zeros(self.sizes, dtype=self.dtype, device=self.device)
        drawn = scale * torch.randn(self.sizes, dtype=torch.float64)
        return drawn.to(self.dtype).to(self.device).requires_grad_()


def example_of(argument: Any) -> Any:
    """The argument, without symbolic sizes."""
    if isinstance(argument, torch.Tensor):
        sizes = tuple(example_of(size) for size in argument.shape)
        return Example(sizes, argument.dtype, argument.device)
    if isinstance(argument, torch.SymInt):
        size = argument.node.expr
        return int(size.subs(dict.fromkeys(size.free_symbols, 4)))
    return argument


@contextmanager
def applied_by(apply: Callable[..., Any]) -> Iterator[None]:
    """Calls `apply(function, proceed, *args)` where this thread applies a custom function with
    gradients, and `proceed(*args)` is what applies it. Torch's own functions, such as that of
    torch.utils.checkpoint, have the gradients of the operators of their forward."""
    thread = threading.get_ident()

    def replacement(cls: Any, *args: Any, **kwargs: Any) -> Any:
        proceed = super(BASE, cls).apply
        is_custom = cls.__module__.partition(".")[0] != "torch"
        if not is_custom or not torch.is_grad_enabled() or threading.get_ident() != thread:
            return proceed(*args, **kwargs)
        return apply(cls, proceed, *args, **kwargs)

    BASE.apply = classmethod(replacement)
    try:
        yield
    finally:
        del BASE.apply


def is_derivative(function: Any, examples: tuple[Any, ...]) -> bool:
    """Whether the backward is the derivative of the forward, at random inputs."""
    try:
        devices = range(torch.cuda.device_count())
        with torch.random.fork_rng(devices), torch.enable_grad():
            return all(agrees(function, examples, scale) for scale in SCALES)
    except Exception:  # whatever the function raises at these inputs
        return False


def agrees(function: Any, examples: tuple[Any, ...], scale: float) -> bool:
    expected = gradients(function.apply, examples, scale)
    with applied_by(lambda inner, _, *args: forward_of(inner)(*args)):
        got = gradients(forward_of(function), examples, scale)
    return all(is_close(*pair) for pair in zip(got, expected, strict=True))


def forward_of(function: Any) -> Callable[..., Any]:
    """The forward alone, whose operators torch differentiates."""
    if function.setup_context is not torch.autograd.Function.setup_context:
        return function.forward  # type: ignore[no-any-return]

    def run(*args: Any) -> Any:
        context: Any = torch.autograd.function.FunctionCtx()
        context.needs_input_grad = tuple(
            isinstance(argument, torch.Tensor) and argument.requires_grad for argument in args
        )
        return function.forward(context, *args)

    return run


def gradients(run: Callable[..., Any], examples: tuple[Any, ...], scale: float) -> list[Any]:
    torch.manual_seed(0)
    inputs = [x.tensor(scale) if isinstance(x, Example) else x for x in examples]
    leaves = [x for x in inputs if isinstance(x, torch.Tensor) and x.requires_grad]
    made = run(*(x.clone() if isinstance(x, torch.Tensor) else x for x in inputs))
    torch.manual_seed(1)
    pairs = [
        (y, scale * torch.randn_like(y))
        for y in (made if isinstance(made, tuple) else (made,))
        if isinstance(y, torch.Tensor) and y.is_floating_point()
    ]
    total = sum((y * upstream).sum() for y, upstream in pairs if y.requires_grad)
    if not isinstance(total, torch.Tensor) or not leaves:
        return [torch.zeros_like(leaf) for leaf in leaves]
    found = torch.autograd.grad(total, leaves, allow_unused=True)
    return [
        torch.zeros_like(leaf) if gradient is None else gradient
        for leaf, gradient in zip(leaves, found, strict=True)
    ]


def is_close(got: torch.Tensor, expected: torch.Tensor) -> bool:
    tolerance = 1e-4 if got.element_size() >= torch.float32.itemsize else 1e-2
    finite = expected[expected.isfinite()]
    scale = float(finite.abs().max()) if finite.numel() else 0.0
    return bool(torch.allclose(got, expected, tolerance, tolerance * scale, equal_nan=True))
