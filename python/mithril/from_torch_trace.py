"""How `ml.from_torch` gets a graph out of a module: torch.fx, which runs forward on stand-ins."""

from __future__ import annotations

import inspect
import operator
import traceback
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import torch
from torch import fx

from ._core import raise_error

TORCH = Path(torch.__file__).parent
OURS = Path(__file__).parent


class StandIn(fx.Proxy):  # type: ignore[misc]
    """Notes down what changes a tensor in place, which torch.fx takes for a new one."""

    def _in_place(self, change: Callable[..., Any], *args: Any) -> Any:
        return self.tracer.create_proxy("call_function", change, (self, *args), {})

    def __iadd__(self, other: Any) -> Any:
        return self._in_place(operator.iadd, other)

    def __isub__(self, other: Any) -> Any:
        return self._in_place(operator.isub, other)

    def __imul__(self, other: Any) -> Any:
        return self._in_place(operator.imul, other)

    def __itruediv__(self, other: Any) -> Any:
        return self._in_place(operator.itruediv, other)

    def __setitem__(self, index: Any, value: Any) -> None:
        self._in_place(operator.setitem, index, value)


class Tracer(fx.Tracer):  # type: ignore[misc]
    """Stops at the modules that the table has, and at all others of torch itself."""

    proxy_buffer_attributes = True

    def __init__(self, inputs: list[str], modules: Iterable[type]) -> None:
        super().__init__()
        self._inputs = inputs
        self._modules = set(modules)

    def is_leaf_module(self, m: torch.nn.Module, module_qualified_name: str) -> bool:
        return type(m) in self._modules or super().is_leaf_module(m, module_qualified_name)

    def proxy(self, node: fx.Node) -> StandIn:
        return StandIn(node, self)

    def create_args_for_root(self, root_fn: Any, is_module: bool, concrete_args: Any = None) -> Any:
        """The inputs are stand-ins; whatever else forward takes keeps its default."""
        stand_ins = [self.create_proxy("placeholder", name, (), {}) for name in self._inputs]

        def forward(root: torch.nn.Module, *given: Any) -> Any:
            return root_fn(root, **dict(zip(self._inputs, given, strict=True)))

        return forward, [self.root, *stand_ins]


def inputs_of(module: torch.nn.Module, wanted: Iterable[str]) -> list[str]:
    """What forward takes and has no default, and what is asked for."""
    parameters = inspect.signature(module.forward).parameters
    single = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    names = [name for name, each in parameters.items() if each.kind in single]
    unknown = [name for name in wanted if name not in names]
    if unknown:
        raise_error(
            "NameError",
            "E0618",
            f"forward of {type(module).__name__} takes no {unknown[0]!r}",
            facts=[("it takes", ", ".join(names))],
        )
    required = [name for name in names if parameters[name].default is inspect.Parameter.empty]
    return [name for name in names if name in required or name in set(wanted)]


def trace(module: torch.nn.Module, inputs: list[str], modules: Iterable[type]) -> fx.Graph:
    if type(module) in set(modules):
        return graph_of_one(inputs)
    try:
        return Tracer(inputs, modules).trace(module)
    except Exception as error:
        refuse(module, error)


def graph_of_one(inputs: list[str]) -> fx.Graph:
    graph = fx.Graph()
    graph.output(graph.call_module("", tuple(graph.placeholder(name) for name in inputs)))
    return graph


def refuse(module: torch.nn.Module, error: Exception) -> Any:
    """Says which line of the user's code could not run on stand-ins."""
    frames = traceback.extract_tb(error.__traceback__)
    theirs = [f for f in frames if not Path(f.filename).is_relative_to(TORCH)]
    theirs = [f for f in theirs if not Path(f.filename).is_relative_to(OURS)]
    facts = [("torch.fx", str(error).split("\n", maxsplit=1)[0])]
    if theirs:
        facts.insert(0, ("at", f"{theirs[-1].filename}:{theirs[-1].lineno}: {theirs[-1].line}"))
    raise_error(
        "ValueError",
        "E0414",
        f"forward of {type(module).__name__} cannot be traced",
        facts=facts,
        help="what forward does may not depend on elements or sizes of its inputs: choose with "
        "torch.where, and take out what cannot be traced",
    )
