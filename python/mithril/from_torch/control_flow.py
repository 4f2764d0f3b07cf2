"""torch.cond, scan and while_loop of exported programs as `ml.Cond`, `ml.Scan` and `ml.While`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import torch
from torch import fx

from .. import models as ml
from .._core import Cond, Connection, IOKey, Model, Scan, While
from ..types import Tensor
from .builders import size
from .complex_values import Complex, of_pairs, pairs_of
from .counted_loops import steps_of
from .names import live
from .registry import COND, SCAN

if TYPE_CHECKING:
    from .convert import Conversion

BOUNDED = 1000  # the most steps with which while_loop becomes a `While` with a gradient


class NotedError(Exception):
    """Nodes in a loop or a choice cannot be converted. Their problems are noted already."""


@dataclass
class Nested:
    """A graph of a loop or of a branch as a model of its own."""

    model: Model
    bindings: dict[str, Any] = field(default_factory=dict)  # of its inputs, outside of it
    results: list[Any] = field(default_factory=list)  # a key of an output for each; or None


def convert_control(conversion: Conversion, node: fx.Node) -> Any:
    """The results of the operator, one for each result of torch's."""
    before = len(conversion.problems)
    convert = convert_cond if node.target is COND else convert_loop
    made = convert(conversion, node, before)
    expected = node.meta["val"]
    return tuple(
        of_pairs(result) if is_complex(value) else result
        for result, value in zip(made, expected, strict=True)
    )


def convert_cond(conversion: Conversion, node: fx.Node, before: int) -> list[Any]:
    condition, then, otherwise, operands = node.args
    chosen = conversion.filled(condition)
    graphs = [(graph_of(then), "true"), (graph_of(otherwise), "false")]
    if isinstance(chosen, bool):  # a comparison of known sizes
        return conversion.inline(graphs[0 if chosen else 1][0], operands)
    branches = [
        nested(conversion, graph, operands, (), f"{which} branch of cond")
        for graph, which in graphs
    ]
    check_noted(conversion, before)
    chosen = as_tensor(chosen)
    chosen = chosen.reshape(()) if chosen.dims != [] else chosen
    choice = Cond("condition", *(branch.model for branch in branches))
    bindings = branches[0].bindings | branches[1].bindings
    made = outputs_of(choice, bindings | {"condition": chosen})
    return [None if key is None else made[key] for key in branches[0].results]


def convert_loop(conversion: Conversion, node: fx.Node, before: int) -> list[Any]:
    if node.target is SCAN:
        body, initial, sequences, others = node.args
        return convert_scan(conversion, before, graph_of(body), initial, sequences, others)
    condition, body, initial, others = node.args
    return convert_while(conversion, before, graph_of(condition), graph_of(body), initial, others)


def convert_scan(
    conversion: Conversion, before: int, graph: fx.Graph, initial: Any, sequences: Any, others: Any
) -> list[Any]:
    carries, steps = range(len(initial)), range(len(initial), len(initial) + len(sequences))
    operands = [*initial, *sequences, *others]
    step = nested(conversion, graph, operands, carries, "body of scan")
    check_noted(conversion, before)
    read = [key_of(i) for i in steps if key_of(i) in step.bindings]
    stacked = step.results[len(initial) :]
    length = None if read else IOKey("steps")
    loop = Scan(
        step.model,
        carry={key_of(i): step.results[i] for i in carries},
        sequences=read,
        outputs=stacked,
        length=length,
    )
    bindings = step.bindings
    if length is not None:
        bindings = bindings | {"steps": size(conversion.filled(sequences[0]), 0)}
    made = outputs_of(loop, bindings)
    return [*(made[f"{key_of(i)}_last"] for i in carries), *(made[key] for key in stacked)]


def convert_while(
    conversion: Conversion,
    before: int,
    condition: fx.Graph,
    body: fx.Graph,
    initial: Any,
    others: Any,
) -> list[Any]:
    carries, operands = range(len(initial)), [*initial, *others]
    test = nested(conversion, condition, operands, (), "condition of while_loop", carries)
    step = nested(conversion, body, operands, carries, "body of while_loop")
    check_noted(conversion, before)
    carry = {key_of(i): step.results[i] for i in carries}
    steps = steps_of(conversion, condition, body, operands, len(initial))
    bindings = test.bindings | step.bindings
    if steps is not None and steps.is_exact:
        length = steps.bound if isinstance(steps.bound, int) else IOKey("steps")
        loop = Scan(step.model, carry=carry, sequences=[], length=length)
        bindings = step.bindings
        if not isinstance(steps.bound, int):
            bindings = bindings | {"steps": steps.bound}
    else:
        bound = steps.bound if steps is not None and isinstance(steps.bound, int) else None
        limit = bound if bound is not None and bound <= BOUNDED else None
        loop = While(test.model, step.model, carry=carry, max_steps=limit)
    made = outputs_of(loop, bindings)
    return [made[f"{key_of(i)}_last"] for i in carries]


def check_noted(conversion: Conversion, before: int) -> None:
    if len(conversion.problems) > before:
        raise NotedError


def outputs_of(part: Model, bindings: dict[str, Any]) -> dict[str, Connection]:
    made = part(**{key: value for key, value in bindings.items() if key in part.input_keys})
    return dict(zip(part.output_keys, made if isinstance(made, tuple) else (made,), strict=True))


def graph_of(node: fx.Node) -> fx.Graph:
    module: Any = node.graph.owning_module
    for name in str(node.target).split("."):
        module = getattr(module, name)
    return module.graph


def key_of(i: int) -> str:
    """The key of argument i of a graph."""
    return f"arg_{i}"


def nested(
    conversion: Conversion,
    graph: fx.Graph,
    operands: Any,
    carries: Any,
    where: str,
    tested: Any = (),
) -> Nested:
    """Converts the graph. `where`: its name in errors. `carries` are inputs even if no node reads
    them. `tested`: the carries of the loop of which the graph is the condition."""
    made = Nested(Model())
    with conversion.within(made.model, where):
        placeholders = [node for node in graph.nodes if node.op == "placeholder"]
        pairs = list(enumerate(zip(placeholders, operands, strict=True)))
        # Tensors come first, because sizes are those of their axes.
        for i, (node, operand) in sorted(pairs, key=lambda pair: not is_tensor(pair[1][0])):
            if node.users or i in carries:
                bind(conversion, made, i, node, operand, i in carries or i in tested)
        before = len(conversion.problems)
        results = conversion.filled(conversion.run(graph, live(graph)))
        if len(conversion.problems) > before:
            return made
        results = results if isinstance(results, list) else [results]
        outputs = {f"out_{i}": as_output(value) for i, value in enumerate(results)}
        outputs = {key: value for key, value in outputs.items() if value is not None}
        made.model.expose_keys(**outputs)
    made.results = [f"out_{i}" if f"out_{i}" in outputs else None for i in range(len(results))]
    return made


def bind(
    conversion: Conversion, made: Nested, i: int, node: fx.Node, operand: Any, is_carry: bool
) -> None:
    """Binds an argument to a number, to a size of a tensor of the graph, or to a new input."""
    given = conversion.filled(operand)
    key, value = key_of(i), node.meta["val"]
    if not is_carry and isinstance(given, int | float | None):
        conversion.bind(node, given)
        return
    if not is_tensor(node) and not is_carry:
        known = conversion.size_of(value)
        if known is not None:
            conversion.bind(node, known)
            return
    given = pairs_of(given) if isinstance(given, Complex) else given
    made.bindings[key] = as_tensor(given)  # a tensor, a number or a size
    if is_tensor(node):
        port = conversion.add_input(made.model, key, value)
    else:
        port = made.model.add_input(key)
        kind: type = int if isinstance(value, torch.SymInt | int) else float
        made.model.set_shapes({key: []})
        made.model.set_types({key: Tensor[kind]})  # type: ignore[valid-type]
    conversion.bind(node, of_pairs(port) if is_complex(value) else port)
    if not is_carry:
        conversion.note_constant(node, operand)


def as_tensor(given: Any) -> Any:
    """A number or a size as a tensor, which steps may change."""
    is_tensor = isinstance(given, Connection) and "tensor" in given.type_text
    return given if is_tensor else ml.ToTensor()(given)


def as_output(value: Any) -> Any:
    if value is None:
        return None
    return ml.Buffer()(as_tensor(pairs_of(value) if isinstance(value, Complex) else value))


def is_tensor(node: fx.Node) -> bool:
    return isinstance(node.meta["val"], torch.Tensor)


def is_complex(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.is_complex()
