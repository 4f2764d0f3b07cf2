"""An exported program as `ml.from_torch` reads it."""

from __future__ import annotations

from collections import Counter
from typing import Any

import torch
from torch import fx
from torch.export import ExportedProgram

from .names import layer_outputs, live

Names = dict[str, dict[int, str]]  # of the axes of each input


class Exported:
    """The facts of a program that the conversion reads. It walks the inputs and the graph once.

    data: the inputs of the user that are tensors.
    bound: the placeholders of parameters, buffers and constants, with their entries in the
        signature of torch.export.
    tensors, constants: the tensors of both, by name; complex ones as pairs of real parts.
    symbols: a name for each size that stayed symbolic.
    updated: the names of the buffers that forward changes.
    needed: the nodes of the graph that outputs depend on.
    layers: the last node of each call of a layer, with the path of the layer.
    main: the dtype of most parameters, or of the first input of floats.
    """

    def __init__(
        self,
        program: ExportedProgram,
        module: torch.nn.Module | None = None,
        names: Names | None = None,
    ) -> None:
        self.program = program
        self.data: list[fx.Node] = []
        self.bound: list[tuple[fx.Node, Any]] = []
        placeholders = (node for node in program.graph.nodes if node.op == "placeholder")
        for node, spec in zip(placeholders, program.graph_signature.input_specs, strict=True):
            if spec.kind.name in {"PARAMETER", "BUFFER", "CONSTANT_TENSOR"}:
                self.bound.append((node, spec))
            elif spec.kind.name == "USER_INPUT" and isinstance(node.meta.get("val"), torch.Tensor):
                self.data.append(node)
        tensors = dict(program.state_dict)
        if module is not None:
            # Exporting copies nothing, but the parameters of the module are the user's objects.
            tensors |= dict(module.named_parameters(remove_duplicate=False))
        self.tensors = {name: as_pairs(value) for name, value in tensors.items()}
        self.constants = {name: as_pairs(value) for name, value in program.constants.items()}
        self.symbols = self._symbols(names or {})
        self.updated = set(program.graph_signature.buffers_to_mutate.values())
        self.needed = live(program.graph)
        self.layers = layer_outputs(program.graph, self.needed)
        self.main = self._main_dtype()

    def _symbols(self, names: Names) -> dict[str, str]:
        """The user's names come first, then input_axis."""
        symbolic = [
            (node, axis, str(size))
            for node in self.data
            for axis, size in enumerate(node.meta["val"].shape)
            if not isinstance(size, int) and size.node.expr.is_symbol
        ]
        given: dict[str, str] = {}
        for node, axis, size in symbolic:
            if axis in names.get(node.name, {}):
                given.setdefault(size, names[node.name][axis])
        for node, axis, size in symbolic:
            given.setdefault(size, f"{node.name}_{axis}")
        return given

    def _main_dtype(self) -> torch.dtype:
        counted = Counter(
            parameter.dtype
            for parameter in self.program.parameters()
            if parameter.is_floating_point()
        ).most_common(1)
        floats = [node.meta["val"].dtype for node in self.data]
        floats = [dtype for dtype in floats if dtype.is_floating_point]
        return next((dtype for dtype, _ in counted), (*floats, torch.get_default_dtype())[0])


def as_pairs(value: Any) -> Any:
    """Pairs of real and imaginary parts, which are the same memory where that is possible."""
    if not isinstance(value, torch.Tensor) or not value.is_complex():
        return value
    pairs = torch.view_as_real(value.detach().resolve_conj())
    if not isinstance(value, torch.nn.Parameter):
        return pairs
    return torch.nn.Parameter(pairs, requires_grad=value.requires_grad)
