"""`ml.from_torch`: a module of torch as a model. Imports torch; imported by __init__.py only."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import fx
from torch.export import ExportedProgram

from .. import _core
from .. import models as ml
from .._core import Connection, Model, raise_error
from ..types import Tensor
from .builders import (
    LazyOutput,
    NodeContext,
    UnsupportedError,
    UnsupportedOutput,
    array_of,
    call,
    constant_of,
    refuse_if,
    tensor,
)
from .complex_values import Complex, each_part, has_complex, of_pairs, pairs_of
from .control_flow import NotedError, convert_control
from .export import export, known_size
from .exported import Exported
from .names import leaf_names, line_of, live, place, target_text
from .ops.complex_numbers import of_complex
from .registry import CONTROL, DROPPED, OTHERS, REGIONS, row_of
from .weights import Weights, kind_of, warn_of_frozen

# Operators whose result has the elements of the first argument.
COPIES = frozenset(
    [
        *(torch.ops.aten.lift_fresh_copy.default, torch.ops.aten.clone.default),
        *(torch.ops.aten.detach.default, torch.ops.aten.alias.default),
    ]
)


class Conversion:
    """Walks the graph of torch.export once, and asks the table for each node."""

    def __init__(self, exported: Exported, seed: int) -> None:
        self.model = Model()
        self.weights = Weights(self.model)
        self.problems: list[tuple[str, str]] = []
        self._exported = exported
        self._values: dict[fx.Node, Any] = {}
        self._known: dict[Any, torch.Tensor] = {}  # constants of the program
        self._seeds = itertools.count(seed)
        self._keys = itertools.count()
        self._sizes: dict[str, Connection] = {}  # of symbols
        self._where: list[str] = []  # the graphs of loops and branches around a node

    def inputs(self) -> list[str]:
        """Binds the placeholders; returns the keys of the data."""
        for _, spec in self._exported.bound:
            if spec.kind.name == "PARAMETER":
                self.weights.register(spec.target, self._exported.tensors[spec.target])
        for node, spec in self._exported.bound:
            self._bind(node, spec)
        return [self._data(node) for node in self._exported.data if node.users]

    def _bind(self, node: fx.Node, spec: Any) -> None:
        name, kind = spec.target, spec.kind.name
        tensors, constants = self._exported.tensors, self._exported.constants
        held = tensors if name in tensors else constants
        if kind == "PARAMETER" and not node.users:
            return
        if kind == "PARAMETER" and tensors[name].is_floating_point():
            value = self.weights.parameter(name, tensors[name])
        elif is_state(spec, self._exported.updated):
            value = self.weights.buffer(name, held[name])
        elif node.users:
            self._known[node] = held[name]
            value = ml.Buffer()(_core.IOKey(value=array_of(held[name])))
        else:
            return
        self._values[node] = of_pairs(value) if has_complex(node.meta.get("val")) else value

    def _data(self, node: fx.Node) -> str:
        name, value = str(node.name), node.meta["val"]
        if name in self._exported.tensors:
            raise_error(
                "NameError",
                "E0619",
                f"the input {name!r} has the name of a parameter or a buffer",
                help="rename the parameter of forward",
            )
        given = self.add_input(self.model, name, value)
        self._values[node] = of_pairs(given) if value.is_complex() else given
        return name

    def add_input(self, model: Model, key: str, value: torch.Tensor) -> Connection:
        """A new input with the sizes and the type of a tensor of the program. Complex numbers are
        pairs along a last axis."""
        port = model.add_input(key)
        dims = [self._dim_of(known_size(size)) for size in value.shape]
        model.set_shapes({key: [*dims, 2] if value.is_complex() else dims})
        model.set_types({key: Tensor[kind_of(value)]})  # type: ignore[misc]
        for axis, size in enumerate(value.shape):
            self.note_size(size, port.shape[axis])
        return port

    def outputs(self) -> dict[str, Connection]:
        """The outputs by name; the next values of buffers are noted."""
        program = self._exported.program
        node = next(node for node in program.graph.nodes if node.op == "output")
        results: dict[str, Connection] = {}
        leaves = iter(leaf_names(program.call_spec.out_spec))
        for value, spec in zip(node.args[0], program.graph_signature.output_specs, strict=True):
            kind = spec.kind.name
            if kind == "BUFFER_MUTATION":
                self._mutated(value, spec.target)
            elif kind == "USER_OUTPUT":
                name = next(leaves)
                if isinstance(value, fx.Node):
                    found = self.filled(value)
                    if isinstance(found, Complex):
                        found = pairs_of(found)
                    results[name] = tensor(found) if isinstance(found, int | float) else found
        return results

    def _mutated(self, node: fx.Node, name: str) -> None:
        """Sets the next value of a buffer. Only in training the number of batches changes."""
        value = self.filled(node)
        value = pairs_of(value) if isinstance(value, Complex) else value
        if name.rpartition(".")[2] == "num_batches_tracked":
            value = ml.ByMode()(value, self.model[name])
        self.weights.set_next(name, value)

    def run(self, graph: fx.Graph, needed: set[fx.Node]) -> Any:
        """Converts the nodes that are needed; returns what the output node returns."""
        result = None
        for node in graph.nodes:
            if node.op == "output":
                result = node.args[0]
            elif node in needed and node.op != "placeholder":
                try:
                    self._values[node] = self._convert(node)
                except NotedError:
                    self._values[node] = self._unknown(node)
                except (UnsupportedError, _core.Error) as problem:
                    self._note(node, str(problem))
        return result

    def _convert(self, node: fx.Node) -> Any:
        if node.op == "get_attr":
            return self._attribute(node)
        if node.target in DROPPED:
            return None
        if node.target in REGIONS:
            return self._region(node)
        if node.target in CONTROL:
            return convert_control(self, node)
        row = row_of(node.target)
        refuse_if(row is None, "no op of Mithril computes it")
        args, kwargs = self.filled(node.args), self.filled(node.kwargs)
        if node.target in COPIES and node.args[0] in self._known:
            self._known[node] = self._known[node.args[0]]
        if node.target in OTHERS:
            return row(*args, **kwargs)
        site = NodeContext(
            inputs=tuple(meta_of(argument) for argument in node.args),
            nodes=node.args,
            output=node.meta.get("val"),
            main=self._exported.main,
            training=False,
            name=self._exported.layers.get(node),
            draw_seed=self._draw_seed,
            random_key=self._random_key,
            constant=lambda i: self._known.get(node.args[i]),
        )
        if has_complex(args, list(kwargs.values()), site.output):
            name = node.target._schema.name.removeprefix("aten::")
            row = of_complex(name, node.target._overloadname, row)
        return self._with_sizes(call(row, site, *args, **kwargs), site.output)

    def _with_sizes(self, value: Any, output: Any) -> Any:
        """A view in the sizes that torch.export found, where inference could not tell: x[:n] has n
        elements, since there are as many."""
        if isinstance(value, Complex):
            return each_part(lambda part: self._with_sizes(part, output), value)
        if not isinstance(value, Connection) or None not in (value.known_shape or []):
            return value
        sizes = [
            size if isinstance(size, int) else self._sizes.get(str(size)) for size in output.shape
        ]
        known = all(size is not None for size in sizes)
        return value.reshape(tuple(sizes)) if known else value

    def _region(self, node: fx.Node) -> Any:
        """Converts the nodes inside of torch.no_grad, without gradients."""
        is_grad = node.target is torch.ops.higher_order.wrap_with_set_grad_enabled
        part, operands = (node.args[1], node.args[2:]) if is_grad else (node.args[4], node.args[5:])
        results = self.inline(getattr_of(node.graph.owning_module, part).graph, operands)
        if is_grad and not node.args[0]:
            results = [stopped(result) for result in results]
        return tuple(results)

    def inline(self, graph: fx.Graph, operands: Any) -> list[Any]:
        """Converts the nodes of a graph in the place of the node that runs it."""
        placeholders = [node for node in graph.nodes if node.op == "placeholder"]
        for placeholder, operand in zip(placeholders, operands, strict=True):
            self._values[placeholder] = self.filled(operand)
        return inner_results(self.filled(self.run(graph, live(graph))))

    @contextmanager
    def within(self, model: Model, where: str) -> Iterator[None]:
        """Within it, nodes become parts of another model, which has sizes of its own. `where`: the
        name of their graph in errors."""
        outer = self.model, self._sizes
        self.model, self._sizes = model, {}
        self._where.append(where)
        try:
            yield
        finally:
            self.model, self._sizes = outer
            self._where.pop()

    def bind(self, node: fx.Node, value: Any) -> None:
        self._values[node] = value

    def note_constant(self, node: fx.Node, source: Any) -> None:
        """Notes that the node has the elements of a node outside of its graph."""
        if isinstance(source, fx.Node) and source in self._known:
            self._known[node] = self._known[source]

    def constant(self, node: fx.Node) -> torch.Tensor | None:
        """The elements of the node, if it is a constant of the program."""
        return self._known.get(node)

    def size_of(self, symbol: Any) -> Connection | None:
        """The size in the current model. None: no tensor of the model has an axis of this size."""
        return self._sizes.get(str(symbol))

    def note_size(self, symbol: Any, size: Connection) -> None:
        if not isinstance(known_size(symbol), int):
            self._sizes.setdefault(str(symbol), size)

    def _dim_of(self, size: Any) -> int | str | None:
        """The size as a number, or its name. None for an expression of sizes."""
        dim = self._exported.symbols.get(str(size), size)
        return dim if isinstance(dim, int | str) else None

    def _attribute(self, node: fx.Node) -> Any:
        value = getattr_of(node.graph.owning_module, node)
        if not isinstance(value, torch.Tensor):
            return value
        self._known[node] = value
        return constant_of(value)

    def _draw_seed(self) -> int:
        """Far from those of all others: a key counts up from where it begins."""
        return next(self._seeds) << 32

    def _random_key(self) -> Connection:
        """A state that is another number at each evaluation."""
        name = f"random_{next(self._keys)}.key"
        key = self.model.add_input(name)
        self.model.set_shapes({name: []})
        self.model.set_types({name: Tensor[int]})
        self.model |= ml.Buffer()(input=key + 1, output=f"{name}.next")
        seed = _core.RandomKey(self._draw_seed())
        self.model.bind_state_keys(name, f"{name}.next", seed)
        return key

    def filled(self, argument: Any) -> Any:
        """The argument with what the nodes in it have become."""
        if isinstance(argument, fx.Node):
            value = self._values[argument]
            if isinstance(value, UnsupportedOutput):
                raise UnsupportedError(value.what)
            if isinstance(value, LazyOutput):
                value = self._values[argument] = value.compute()
            return value
        if isinstance(argument, dict):
            return {key: self.filled(value) for key, value in argument.items()}
        if isinstance(argument, list | tuple):
            return [self.filled(item) for item in argument]
        return argument

    def _note(self, node: fx.Node, why: str) -> None:
        """Notes a problem, and continues with an unknown value, to find all problems at once."""
        reason = why.split("\n", maxsplit=1)[0]
        path = " > ".join([place(node), *self._where])
        self.problems.append((path, f"{target_text(node)}: {reason}{line_of(node)}"))
        self._values[node] = self._unknown(node)

    def _unknown(self, node: fx.Node) -> Any:
        output = node.meta.get("val")
        count = len(output) if isinstance(output, tuple | list) else 1
        prefix = f"unknown_{len(self.problems)}"
        unknown: list[Any] = [_core.IOKey(f"{prefix}_{i}") for i in range(count)]
        if has_complex(output):
            unknown = [Complex(value, value) for value in unknown]
        return unknown if isinstance(output, tuple | list) else unknown[0]


def is_state(spec: Any, updated: set[str]) -> bool:
    """Parameters of ints and bools, which are not trained, are state as buffers are."""
    if spec.kind.name == "PARAMETER":
        return True
    return spec.kind.name == "BUFFER" and (spec.persistent or spec.target in updated)


def stopped(value: Any) -> Any:
    if isinstance(value, Complex):
        return each_part(stopped, value)
    is_tensor = isinstance(value, Connection) and "float tensor" in value.type_text
    return ml.StopGradient()(value) if is_tensor else value


def inner_results(result: Any) -> list[Any]:
    return list(result) if isinstance(result, list | tuple) else [result]


def getattr_of(module: Any, node: fx.Node) -> Any:
    for name in str(node.target).split("."):
        module = getattr(module, name)
    return module


def meta_of(argument: Any) -> Any:
    if isinstance(argument, fx.Node):
        return argument.meta.get("val")
    if isinstance(argument, list | tuple):
        return [meta_of(item) for item in argument]
    return argument


def convert(
    module: torch.nn.Module | ExportedProgram,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    dynamic: Any,
    seed: int,
) -> tuple[Model, dict[str, torch.nn.Parameter]]:
    exported = export(module, args, kwargs, dynamic)
    conversion = Conversion(exported, seed)
    model = conversion.model
    keys = conversion.inputs()
    conversion.run(exported.program.graph, exported.needed)
    outputs: dict[str, Connection] = {}
    try:
        outputs = conversion.outputs()
    except UnsupportedError as problem:
        conversion.problems.append(("output", str(problem)))
    if conversion.problems:
        refuse_all(module, conversion.problems)
    # A copy of what is an input, too, or an output twice.
    model.expose_keys(**{name: ml.Buffer()(value) for name, value in outputs.items()})
    conversion.weights.bind_state()
    model._set_size_advice(
        'the example of from_torch fixed this size: dynamic_shapes="auto" leaves sizes open'
    )
    model.set_cin(*(name for name in keys if name in model.input_keys))
    warn_of_frozen(conversion.weights.frozen)
    return model, conversion.weights.parameters


def refuse_all(module: Any, problems: list[tuple[str, str]]) -> None:
    counted = Counter(text for _, text in problems)
    first = {text: where for where, text in reversed(problems)}
    facts = [
        (first[text], text + (f", {count} times" if count > 1 else ""))
        for text, count in counted.items()
    ]
    raise_error(
        "ValueError",
        "E0413",
        f"{type(module).__name__} cannot be converted",
        facts=facts,
        help="replace these parts of the module, or compose them in Mithril and go on in torch "
        "with as_torch_module",
    )
