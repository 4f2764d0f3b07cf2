"""`ml.from_torch`: a module of torch as a model. Imports torch: asked for by torch_interop only."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import torch
from torch import fx

from . import (
    _core,
    from_torch_einsum,
    from_torch_layers,
    from_torch_losses,
    from_torch_math,
    from_torch_shapes,
    from_torch_transformer,
)
from . import models as ml
from ._core import Connection, Model, raise_error
from .from_torch_nodes import Nodes
from .from_torch_table import Table, UnsupportedError, call, refuse_if
from .from_torch_trace import inputs_of, trace
from .types import Tensor

FUNCTIONS: Table = {
    **from_torch_math.TABLE,
    **from_torch_shapes.TABLE,
    **from_torch_einsum.TABLE,
    **from_torch_losses.FUNCTIONS,
    **from_torch_layers.FUNCTIONS,
}
MODULES: Table = {
    **from_torch_layers.MODULES,
    **from_torch_losses.MODULES,
    **from_torch_transformer.MODULES,
}


class Weights:
    """The keys of a model that are parameters and buffers of a module."""

    def __init__(self, module: torch.nn.Module, model: Model) -> None:
        self._module = module
        self._model = model
        # Of tensors with several names the first counts.
        self._names = {id(value): name for name, value in module.named_parameters()}
        self._saved = set(module.state_dict())
        self._state: dict[str, Connection] = {}
        self.parameters: dict[str, torch.nn.Parameter] = {}

    def get(self, path: str) -> Connection:
        """The parameter, the buffer as it is by now, or the constant at a path."""
        owner, _, name = path.rpartition(".")
        tensor = getattr(self._module.get_submodule(owner), name)
        refuse_if(not isinstance(tensor, torch.Tensor), f"the attribute {path!r}")
        if isinstance(tensor, torch.nn.Parameter):
            return self._parameter(self._names.get(id(tensor), path), tensor)
        if path in self._saved:
            return self._buffer(path, tensor)
        return _core.IOKey(value=array_of(tensor))

    def set(self, path: str, value: Connection) -> None:
        """What a buffer is once the model has run."""
        self._state[path] = value

    def bind_state(self) -> None:
        for path, value in self._state.items():
            self._model |= ml.Buffer()(input=value, output=f"{path}.next")
            initial = array_of(self._module.get_buffer(path))
            self._model.bind_state_keys(path, f"{path}.next", initial)

    def _parameter(self, name: str, tensor: torch.nn.Parameter) -> Connection:
        if name not in self.parameters:
            self.parameters[name] = tensor
            self._describe(name, tensor)
            self._model.set_differentiability({name: True})
        return self._model[name]

    def _buffer(self, path: str, tensor: torch.Tensor) -> Connection:
        if path not in self._state:
            self._describe(path, tensor)
            self._state[path] = self._model[path]
        return self._state[path]

    def _describe(self, name: str, tensor: torch.Tensor) -> None:
        refuse_if(tensor.is_complex(), f"{name!r}, which is complex")
        kind = float if tensor.is_floating_point() else bool if tensor.dtype == torch.bool else int
        self._model[name]
        self._model.set_shapes({name: tensor.shape})
        self._model.set_types({name: Tensor[kind]})  # type: ignore[valid-type]


def array_of(tensor: torch.Tensor) -> _core.Tensor:
    """A copy, since models do not change; bfloat16 has no array of NumPy."""
    there = tensor.detach().cpu().clone()
    narrow = there.is_floating_point() and there.element_size() < torch.float32.itemsize
    return _core.Tensor((there.float() if narrow else there).numpy())


class Part:
    """A module that a builder is asked for: its own weights, under its path."""

    def __init__(
        self, weights: Weights, path: str, name: str, draw_seed: Callable[[], int]
    ) -> None:
        self.name = name  # for the part that stands for the module
        self.draw_seed = draw_seed
        self._weights = weights
        self._path = path

    def get(self, name: str) -> Connection:
        return self._weights.get(joined(self._path, name))

    def set(self, name: str, value: Connection) -> None:
        self._weights.set(joined(self._path, name), value)

    def child(self, name: str) -> Part:
        path = joined(self._path, name)
        return Part(self._weights, path, joined(self.name, name), self.draw_seed)


def joined(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


class Conversion:
    """Walks the graph of torch.fx once, and asks the table for each node."""

    def __init__(self, module: torch.nn.Module, graph: fx.Graph, seed: int) -> None:
        self.model = Model()
        self.weights = Weights(module, self.model)
        self.problems: list[tuple[str, str]] = []
        self._module = module
        self._graph = graph
        self._nodes = Nodes(module, graph)
        self._values: dict[fx.Node, Any] = {}
        self._calls: dict[str, int] = {}
        self._seeds = itertools.count(seed)

    def run(self) -> dict[str, Connection]:
        outputs: dict[str, Connection] = {}
        for node in self._graph.nodes:
            try:
                if node.op == "output":
                    outputs = named_outputs(self._filled(node.args[0]))
                else:
                    self._values[node] = self._convert(node)
            except (UnsupportedError, _core.Error) as problem:
                self._note(node, str(problem))
        return outputs

    def _convert(self, node: fx.Node) -> Any:
        if node.op == "placeholder":
            return self.model[node.target]
        if node.op == "get_attr":
            return self.weights.get(node.target)
        args, kwargs = self._filled(node.args), self._filled(node.kwargs)
        if self._nodes.is_float_of_sizes(node):
            args = tuple(as_tensor(each) for each in args)
        changes = self._nodes.changes(node)
        same = self._nodes.same_as(node) if changes else []
        if node.op == "call_module":
            result = self._call_module(node.target, args, kwargs)
        else:
            target = node.target
            if node.op == "call_method" and changes and target not in FUNCTIONS:
                target = target.removesuffix("_")
            refuse_if(target not in FUNCTIONS, "no op of ours is known for it")
            result = call(FUNCTIONS[target], self._draw_seed, *args, **kwargs)
        self._values.update(dict.fromkeys(same, result))
        return result

    def _call_module(self, path: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        module = self._module.get_submodule(path)
        refuse_if(type(module) not in MODULES, "no part of ours is known for it")
        refuse_if(module._forward_hooks or module._forward_pre_hooks, "with hooks")
        count = self._calls[path] = self._calls.get(path, 0) + 1
        name = (path or "module") + (f"_call_{count}" if count > 1 else "")
        part = Part(self.weights, path, name, self._draw_seed)
        return call(MODULES[type(module)], self._draw_seed, part, module, *args, **kwargs)

    def _draw_seed(self) -> int:
        """Far from those of all others: a key counts up from where it begins."""
        return next(self._seeds) << 32

    def _filled(self, argument: Any) -> Any:
        """The argument with what the nodes in it have become."""
        if isinstance(argument, fx.Node):
            return self._values[argument]
        if isinstance(argument, slice):
            bounds = (argument.start, argument.stop, argument.step)
            return slice(*map(self._filled, bounds))
        if isinstance(argument, dict):
            return {key: self._filled(each) for key, each in argument.items()}
        if isinstance(argument, list | tuple):
            return type(argument)(map(self._filled, argument))
        return argument

    def _note(self, node: fx.Node, why: str) -> None:
        """What follows goes on with an unknown value, so that all problems are found at once."""
        reason = why.split("\n", maxsplit=1)[0]
        self.problems.append((self._place(node), f"{target_text(self._module, node)}: {reason}"))
        self._values[node] = _core.IOKey(f"unknown_{len(self.problems)}")

    def _place(self, node: fx.Node) -> str:
        if node.op == "call_module":
            return str(node.target) or "forward"
        stack = list(node.meta.get("nn_module_stack", {}).values())
        return f"{stack[-1][0]}.forward" if stack and stack[-1][0] else "forward"


def as_tensor(size: Any) -> Any:
    return size.tensor() if isinstance(size, Connection) else size


def target_text(module: torch.nn.Module, node: fx.Node) -> str:
    """As a user would write it: "ConvTranspose2d", "torch.cumsum", "Tensor.cumsum"."""
    if node.op == "call_module":
        return type(module.get_submodule(str(node.target))).__name__
    if node.op == "call_method":
        return f"Tensor.{node.target}"
    if node.op == "call_function":
        return str(fx.node._get_qualified_name(node.target))
    return str(node.target)


def named_outputs(result: Any) -> dict[str, Connection]:
    if isinstance(result, Connection):
        return {"output": result}
    if isinstance(result, list | tuple):
        result = {f"output_{i}": each for i, each in enumerate(result)}
    whole = isinstance(result, dict) and all(isinstance(k, str) for k in result)
    refuse_if(not whole, "what is neither a tensor, nor a tuple nor a dict of them")
    for name, each in result.items():
        refuse_if(not isinstance(each, Connection), f"{name!r}, which is no tensor")
    return dict(result)


def refuse_name(module: torch.nn.Module, name: str) -> None:
    """Inputs and weights are keys of one model."""
    if name in module.state_dict():
        raise_error(
            "NameError",
            "E0619",
            f"the input {name!r} has the name of a parameter or a buffer",
            help="rename the parameter of forward",
        )


def convert(
    module: torch.nn.Module,
    inputs: Iterable[str],
    shapes: Mapping[str, Any],
    types: Mapping[str, Any],
    seed: int,
) -> tuple[Model, dict[str, torch.nn.Parameter]]:
    names = inputs_of(module, inputs)
    conversion = Conversion(module, trace(module, names, MODULES), seed)
    model = conversion.model
    for name in names:
        refuse_name(module, name)
        model[name]
    model.set_shapes(shapes)
    model.set_types(types)
    outputs = conversion.run()
    if module._forward_hooks or module._forward_pre_hooks:
        conversion.problems.append(("forward", "hooks of the module itself"))
    if conversion.problems:
        raise_error(
            "ValueError",
            "E0413",
            f"{type(module).__name__} cannot be converted",
            facts=conversion.problems,
            help="replace these parts of the module, or compose them in Mithril and go on in torch "
            "with as_torch_module",
        )
    # A copy of what is an input, too, or an output twice.
    model.expose_keys(**{name: ml.Buffer()(each) for name, each in outputs.items()})
    conversion.weights.bind_state()
    model.set_cin(*(name for name in names if name in model.input_keys))
    return model, conversion.weights.parameters
