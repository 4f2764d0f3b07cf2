"""How `ml.from_torch` gets a graph: torch.export, which runs forward on fake tensors."""

from __future__ import annotations

import inspect
import re
import traceback
import warnings
from collections.abc import Iterator
from contextlib import nullcontext
from typing import Any

import torch
from torch.export import ExportedProgram
from torch.utils import _pytree as pytree

from .._core import raise_error
from .custom_gradients import noted_gradients, refuse_functions, warn_of_hooks
from .dynamic_shapes import automatic, dims_of
from .exported import Exported, Names
from .functionalize import replace_changes
from .loop_gradients import loops_without_gradients
from .names import is_theirs
from .opaque import REPLACED, Replacing
from .packed import RECURRENT, check_packed
from .registry import has_row, row_of


def export(
    module: torch.nn.Module | ExportedProgram,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    dynamic: Any,
) -> Exported:
    """Exports a module, with the names that `dynamic` gives to axes, or takes a program that is
    exported already."""
    if isinstance(module, ExportedProgram):
        return Exported(functional(module))
    inputs = arguments_of(module, args, kwargs)
    names: Names = {}
    try:
        if hasattr(dynamic, "dynamic_shapes"):  # a ShapesCollection, or AdditionalInputs
            dynamic = dynamic.dynamic_shapes(module, args, kwargs)
    except Exception as error:
        refuse(module, error)
    dims = dims_of(inputs, dynamic, names)
    args, kwargs = distinct((args, kwargs))
    try:
        # Functions of autograd are noted where gradients are computed. The caller may compute none.
        with warnings.catch_warnings(), torch.enable_grad(), noted_gradients() as noted:
            warnings.simplefilter("ignore")
            with loops_without_gradients():
                program = traced(module, args, kwargs, dims)
            replace_changes(program)
            ready = functional(program)
    except Exception as error:  # torch.export raises whatever forward and torch itself raise
        refuse(module, error)
    refuse_functions(module, noted.calls.values())
    warn_of_hooks(module, noted.hooks)
    exported = Exported(ready, module, names)
    if dynamic == "auto":
        warn_of_fixed(exported)
    return exported


def traced(
    module: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any], dims: Any
) -> ExportedProgram:
    """Exports a module. If forward calls functions that torch.export cannot trace, it is exported
    again with operators of Mithril in their place. Recurrent layers are replaced at once: torch
    would fix the length of their sequences."""
    has_loops = dims is not None and any(
        isinstance(part, torch.nn.RNNBase) for part in module.modules()
    )
    try:
        with Replacing(RECURRENT) if has_loops else nullcontext():
            return torch.export.export(module, args, kwargs, dynamic_shapes=dims)
    except Exception:
        replacing = Replacing(REPLACED)
        try:
            with replacing:
                program = torch.export.export(module, args, kwargs, dynamic_shapes=dims)
            check_packed(program)
        except Exception:
            if replacing.count:
                raise
        if not replacing.count:
            raise
        return program


def distinct(inputs: Any) -> Any:
    """A tensor that is given twice is two inputs."""
    seen: set[int] = set()

    def own(value: Any) -> Any:
        if not isinstance(value, torch.Tensor) or id(value) not in seen:
            seen.add(id(value))
            return value
        return value.clone()

    return pytree.tree_map(own, inputs)


def arguments_of(
    module: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> dict[str, Any]:
    """The inputs under the names of the parameters of forward."""
    signature = inspect.signature(module.forward)
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError as error:
        raise_error(
            "NameError",
            "E0618",
            f"forward of {type(module).__name__} does not take these inputs: {error}",
            facts=[("it takes", ", ".join(signature.parameters))],
        )
    named: dict[str, Any] = {}
    for name, value in bound.arguments.items():
        if signature.parameters[name].kind is inspect.Parameter.VAR_KEYWORD:
            named |= value
        else:
            named[name] = value
    return named


def known_size(size: Any) -> Any:
    """An int where torch.export found that the size cannot change."""
    if isinstance(size, int):
        return size
    return int(size.node.expr) if size.node.expr.is_number else size


def warn_of_fixed(exported: Exported) -> None:
    fixed = [
        f"axis {axis} of {node.name!r} at {node.meta['val'].shape[axis]}"
        for node in exported.data
        for axis in automatic(node.meta["val"])
        if isinstance(known_size(node.meta["val"].shape[axis]), int)
    ]
    if fixed:
        warnings.warn(
            f"from_torch: torch.export fixed {', '.join(fixed)}: forward depends on the size, or "
            "the size of the example is 1",
            stacklevel=6,
        )


def functional(program: ExportedProgram) -> ExportedProgram:
    """Decomposed where the graph changes tensors in place or has operators without a row."""
    changed = {node.target for node in nodes_of(program.graph_module) if not is_ready(node)}
    if not changed:
        return program
    table = torch.export.default_decompositions()
    for operator in list(table):
        if has_row(operator) and operator not in changed:
            del table[operator]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return program.run_decompositions(table)


def nodes_of(module: torch.fx.GraphModule) -> Iterator[torch.fx.Node]:
    for part in module.modules():
        if isinstance(part, torch.fx.GraphModule):
            yield from part.graph.nodes


def is_ready(node: torch.fx.Node) -> bool:
    if node.op != "call_function":
        return True
    if isinstance(node.target, torch._ops.OpOverload):
        changes = node.target._schema.is_mutable
        if changes or updates_statistics(node):
            return False
        return has_row(node.target) or not node.users
    if node.target is torch.ops.higher_order.wrap_with_autocast:
        return not node.args[2]  # disabled
    return row_of(node.target) is not None


def updates_statistics(node: torch.fx.Node) -> bool:
    """Norms in training whose schema does not say that they change their running statistics."""
    norms = (torch.ops.aten.batch_norm.default, torch.ops.aten.instance_norm.default)
    return node.target in norms and bool(node.args[5]) and node.args[3] is not None


def refuse(module: torch.nn.Module, error: Exception) -> Any:
    """Says which line of the user's code could not be exported."""
    frames = traceback.extract_tb(error.__traceback__)
    theirs = [frame for frame in frames if is_theirs(frame.filename)]
    facts = [("torch.export", f"{type(error).__name__}: {reason_of(error)}")]
    if theirs:
        facts.insert(0, ("at", f"{theirs[-1].filename}:{theirs[-1].lineno}: {theirs[-1].line}"))
    raise_error(
        "ValueError",
        "E0414",
        f"forward of {type(module).__name__} cannot be exported",
        facts=facts,
        help=help_for(error),
    )


def reason_of(error: Exception) -> str:
    """The first line of the message or, if torch refuses a loop or a choice, its explanation."""
    text = str(error).strip()
    explanation = re.search(r"higher.order op.*\n\s*Explanation: (.*)", text, re.S | re.I)
    line = (explanation[1] if explanation else text).split("\n", maxsplit=1)[0]
    return line.partition(" Found in <")[0]


# Patterns in messages of torch.export, each with its advice.
CAUSES: list[tuple[str, str]] = [
    (
        r"of a packed sequence",
        "packed data stays padded in Mithril: only recurrent layers and pad_packed_sequence read "
        "it; apply other layers and losses to the padded result, with a mask of the lengths",
    ),
    (
        r"higher order operator|FunctionalTensor",
        "functions of cond, scan and while_loop return new tensors of the same shapes and dtypes, "
        "and change none in place: return x.clone() instead of x, and x + 1 instead of x.add_(1)",
    ),
    (
        r"numpy\(\)|can't convert.*numpy|to a numpy|__array__",
        "forward leaves PyTorch: compute with torch instead of NumPy",
    ),
    (
        r"[Cc]onstraints? violated|suggested fixes|user-specified ranges|marked.*as dynamic|"
        r"dynamic_shapes|Dim\(",
        "leave sizes that cannot stay symbolic, such as a size of 1, out of dynamic_shapes",
    ),
    (
        r"data-dependent|DataDependent|UnsupportedAliasMutation|Boolean value of Tensor|\bu\d+\b",
        "forward may not branch on elements of its inputs, or count with them: choose with "
        "torch.where",
    ),
    (
        r"must have same|size mismatch|shape.* invalid|cannot be multiplied|must match|"
        r"has no attribute|positional argument|unexpected keyword|is not defined|expected .* got",
        "forward fails with these example_inputs: call the module with them",
    ),
]


def help_for(error: Exception) -> str:
    """One advice, for the cause of the error."""
    text = f"{type(error).__name__}: {error}".split("\n", maxsplit=1)[0]
    for pattern, advice in CAUSES:
        if re.search(pattern, text):
            return advice
    return "call the module with example_inputs to see whether forward fails; torch.export says why"
