"""Changes in place of exported graphs. torch can replace them by other operators, but needs longer
for it than for the export. Most of them change what an operator has just made, such as
`torch.relu_(convolution(x))`: these are replaced here."""

from __future__ import annotations

from typing import Any

import torch
from torch import fx
from torch.export import ExportedProgram

from .registry import has_row

aten = torch.ops.aten
# Composite operators without an alias in their schema, whose result nevertheless is a new tensor.
# Others may return their input: dropout, type_as.
NEW = {
    *(aten.linear.default, aten.matmul.default, aten.batch_norm.default, aten.layer_norm.default),
    *(aten.conv1d.default, aten.conv2d.default, aten.conv3d.default, aten.group_norm.default),
}


def replace_changes(program: ExportedProgram) -> None:
    """`add_(x, y)` becomes `add(x, y)` where x is new and has no views, and what follows takes the
    result in place of x. The graphs of loops and branches are changed, too."""
    for part in program.graph_module.modules():
        if isinstance(part, fx.GraphModule):
            replace_changes_in(part.graph)
    output = next(node for node in program.graph.nodes if node.op == "output")
    for value, spec in zip(output.args[0], program.graph_signature.output_specs, strict=True):
        if isinstance(value, fx.Node):
            spec.arg.name = value.name


def replace_changes_in(graph: fx.Graph) -> None:
    own: set[fx.Node] = set()  # new tensors without views
    for node in list(graph.nodes):
        if node.op == "call_function" and is_new(node.target):
            own.add(node)
            continue
        changed = functional_form(node)
        if changed is not None and node.args[0] in own:
            replace_later_uses(node, node.args[0])
            node.target = changed
            own.add(node)
            continue
        own.difference_update(node.all_input_nodes)  # a view, or it may return its input


def is_new(target: Any) -> bool:
    """Whether the result shares no memory with an argument, and no argument changes."""
    if not isinstance(target, torch._ops.OpOverload) or target.namespace != "aten":
        return False
    schema = target._schema
    if any(argument.alias_info is not None for argument in [*schema.arguments, *schema.returns]):
        return False
    if len(schema.returns) != 1 or str(schema.returns[0].type) != "Tensor":
        return False
    return target in NEW or not target.has_kernel_for_dispatch_key(
        torch._C.DispatchKey.CompositeImplicitAutograd
    )


def functional_form(node: fx.Node) -> Any:
    """The operator without the change of the first argument, if it computes the same in the same
    dtype and has a row; None otherwise."""
    target = node.target
    if not isinstance(target, torch._ops.OpOverload) or target.namespace != "aten":
        return None
    name = target._schema.name.removeprefix("aten::")
    if not name.endswith("_") or name.startswith("_") or not node.args:
        return None
    packet = getattr(aten, name.removesuffix("_"), None)
    plain = getattr(packet, target._overloadname, None)
    if plain is None or not has_row(plain) or not isinstance(node.args[0], fx.Node):
        return None
    tensors = [source.meta.get("val") for source in node.all_input_nodes]
    dtypes = {tensor.dtype for tensor in tensors if isinstance(tensor, torch.Tensor)}
    return plain if len(dtypes) == 1 else None


def replace_later_uses(node: fx.Node, changed: fx.Node) -> None:
    later = set()
    following = node.next
    while following.op != "root":
        later.add(following)
        following = following.next
    changed.replace_all_uses_with(node, delete_user_cb=lambda user: user in later)
