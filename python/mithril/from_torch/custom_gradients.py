"""Custom gradients of modules that `ml.from_torch` converts: functions of autograd and hooks on
gradients. torch.export shows the operators of forward, and nothing of either."""

from __future__ import annotations

import threading
import traceback
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import torch

from .._core import raise_error
from .custom_functions import applied_by, example_of, is_derivative
from .names import is_theirs


@dataclass(frozen=True)
class CustomCall:
    function: Any
    examples: tuple[Any, ...]  # of its arguments
    line: str


@dataclass
class CustomGradients:
    calls: dict[str, CustomCall] = field(default_factory=dict)  # the first of equal ones
    hooks: list[str] = field(default_factory=list)  # where forward registers hooks on tensors


@contextmanager
def noted_gradients() -> Iterator[CustomGradients]:
    """Notes what this thread does while forward runs."""
    noted = CustomGradients()
    thread, register_hook = threading.get_ident(), torch.Tensor.register_hook

    def apply(function: Any, proceed: Any, *args: Any, **kwargs: Any) -> Any:
        examples = tuple(example_of(argument) for argument in args)
        call = CustomCall(function, examples, line_of_call())
        noted.calls.setdefault(f"{id(function)} {examples}", call)
        return proceed(*args, **kwargs)

    def register(self: Any, hook: Any) -> Any:
        line = line_of_call()
        if threading.get_ident() == thread and line not in noted.hooks:
            noted.hooks.append(line)
        return register_hook(self, hook)

    torch.Tensor.register_hook = register
    try:
        with applied_by(apply):
            yield noted
    finally:
        torch.Tensor.register_hook = register_hook


def line_of_call() -> str:
    """The innermost line of the user's code, as "file:line: code"."""
    frames = [frame for frame in traceback.extract_stack() if is_theirs(frame.filename)]
    return f"{frames[-1].filename}:{frames[-1].lineno}: {frames[-1].line}" if frames else "?"


def refuse_functions(module: torch.nn.Module, calls: Iterable[CustomCall]) -> None:
    """Refuses functions whose backward is not the derivative of their forward. Others, which save
    memory or time, have the gradients of the operators of their forward."""
    functions = {
        call.function.__name__: call.line
        for call in calls
        if not is_derivative(call.function, call.examples)
    }
    if not functions:
        return
    raise_error(
        "ValueError",
        "E0425",
        f"forward of {type(module).__name__} calls {', '.join(functions)}: torch.export does not "
        "show the backward of a torch.autograd.Function",
        facts=list(functions.items()),
        help="write a gradient that passes straight through as x + (f(x) - x).detach(); compose "
        "other functions in Mithril, as ops of ml.add_op(..., gradient=...)",
    )


def warn_of_hooks(module: torch.nn.Module, on_tensors: list[str]) -> None:
    of_modules = [
        name or type(module).__name__
        for name, part in module.named_modules()
        if part._backward_hooks or part._backward_pre_hooks
    ]
    of_parameters = [
        name
        for name, parameter in module.named_parameters()
        if parameter._backward_hooks or getattr(parameter, "_post_accumulate_grad_hooks", None)
    ]
    owners = [*of_modules, *of_parameters]
    places = [*(f"of {name!r}" for name in owners), *(f"at {line}" for line in on_tensors)]
    if places:
        warnings.warn(
            f"from_torch: the model has no hooks on gradients, unlike the module: "
            f"{', '.join(places)}",
            stacklevel=6,
        )
