"""Which nodes mean one tensor, so that `ml.from_torch` follows what is changed in place, and which
are sizes."""

from __future__ import annotations

import math
import operator

from torch import fx, nn

from .from_torch_table import refuse_if

TO_FLOAT = (operator.truediv, operator.itruediv, operator.pow, math.sqrt)  # of sizes
CHANGES = (operator.iadd, operator.isub, operator.imul, operator.itruediv, operator.setitem)
VIEWS = (
    *("view", "view_as", "reshape", "reshape_as", "flatten", "unflatten", "permute", "transpose"),
    *("swapaxes", "swapdims", "t", "unsqueeze", "squeeze", "expand", "expand_as", "chunk"),
    *("split", "unbind", "select", "narrow", "contiguous", "to", "float", "double"),
    *("getitem", "getattr"),
)
VIEWING_MODULES = (nn.Flatten, nn.Unflatten, nn.Identity, nn.Dropout)


class Nodes:
    """Of a graph: which nodes are sizes, views of one tensor, or that tensor, changed."""

    def __init__(self, module: nn.Module, graph: fx.Graph) -> None:
        self._module = module
        self._order = {node: i for i, node in enumerate(graph.nodes)}
        self._numbers: set[fx.Node] = set()
        self._memory: dict[fx.Node, fx.Node] = {}
        self._tensor: dict[fx.Node, fx.Node] = {}
        for node in graph.nodes:
            if is_number(node, self._numbers):
                self._numbers.add(node)
            first = node.args[0] if node.args and isinstance(node.args[0], fx.Node) else None
            changes, views = self.changes(node), self._views(node)
            self._memory[node] = self._memory[first] if first and (changes or views) else node
            self._tensor[node] = self._tensor[first] if first and changes else node

    def changes(self, node: fx.Node) -> bool:
        """Whether the node changes its first argument in place."""
        if node in self._numbers:
            return False
        if node.op == "call_method":
            return node.target.endswith("_") and not node.target.endswith("__")
        if node.op == "call_module":
            return bool(getattr(self._module.get_submodule(node.target), "inplace", False))
        return node.target in CHANGES or bool(node.kwargs.get("inplace"))

    def is_float_of_sizes(self, node: fx.Node) -> bool:
        """Such a number is a tensor for us: values that are known late are ints."""
        inputs = node.all_input_nodes
        return node.target in TO_FLOAT and all(each in self._numbers for each in inputs)

    def same_as(self, node: fx.Node) -> list[fx.Node]:
        """All nodes that are the tensor which this node changes. An error where a view of it is
        used later: torch changes the view, too."""
        tensor, memory, now = self._tensor[node], self._memory[node], self._order[node]
        for each in self._order:
            later = any(self._order[user] > now for user in each.users)
            view = self._memory[each] is memory and self._tensor[each] is not tensor
            refuse_if(view and later, f"in place, while its view {str(each)!r} is used later")
        return [each for each in self._order if self._tensor[each] is tensor]

    def _views(self, node: fx.Node) -> bool:
        if node in self._numbers:
            return False
        if node.op == "call_module":
            return isinstance(self._module.get_submodule(node.target), VIEWING_MODULES)
        name = node.target if node.op == "call_method" else getattr(node.target, "__name__", "")
        return node.op.startswith("call") and name in VIEWS


def is_number(node: fx.Node, numbers: set[fx.Node]) -> bool:
    """A size, or arithmetic of sizes: a number of Python, which += does not change."""
    if node.op == "call_method":
        return node.target in ("size", "dim", "numel")
    if node.target is getattr:
        return node.args[1] in ("shape", "ndim")
    inputs = node.all_input_nodes
    is_operator = getattr(node.target, "__module__", None) == "_operator"
    return (
        is_operator
        and node.target not in TO_FLOAT
        and bool(inputs)
        and all(each in numbers for each in inputs)
    )
