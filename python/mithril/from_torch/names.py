"""Names of parts and outputs that `ml.from_torch` makes, and the places that its errors name."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import torch
from torch import fx

from .registry import OTHERS

TORCH = Path(torch.__file__).parent
OURS = Path(__file__).parents[1]


def live(graph: fx.Graph) -> set[fx.Node]:
    """The nodes that outputs depend on."""
    needed: set[fx.Node] = set()
    for node in reversed(graph.nodes):
        if node.op == "output" or node in needed:
            needed.add(node)
            needed.update(node.all_input_nodes)
    return needed


def module_of(node: fx.Node) -> tuple[str, str]:
    """The path and the class of the module whose forward called the operator."""
    stack = list(node.meta.get("nn_module_stack", {}).values())
    if not stack:
        return "", ""
    path, kind = stack[-1]
    return str(path), kind if isinstance(kind, str) else f"{kind.__module__}.{kind.__qualname__}"


def layer_outputs(graph: fx.Graph, needed: set[fx.Node]) -> dict[fx.Node, str]:
    """The last node of each call of a layer of torch has the path of the layer as its name."""
    calls: dict[fx.Node, str] = {}
    counts: Counter[str] = Counter()
    nodes = [node for node in graph.nodes if node in needed and node.op == "call_function"]
    for node, following in itertools.zip_longest(nodes, nodes[1:]):
        path, kind = module_of(node)
        if not kind.startswith("torch.nn.modules.") or node.target in OTHERS:
            continue
        if following is not None and call_of(following) == call_of(node):
            continue
        own = path.partition("@")[0] or "module"
        counts[own] += 1
        calls[node] = own if counts[own] == 1 else f"{own}_call_{counts[own]}"
    return calls


def call_of(node: fx.Node) -> Any:
    keys = list(node.meta.get("nn_module_stack", {}))
    return keys[-1] if keys else None


def place(node: fx.Node) -> str:
    path = module_of(node)[0].partition("@")[0]
    return path or "forward"


def target_text(node: fx.Node) -> str:
    """The name of the target of a node: "aten.cumprod"."""
    if isinstance(node.target, torch._ops.OpOverload):
        return str(node.target._schema.name).replace("::", ".")
    return getattr(node.target, "__name__", str(node.target))


def line_of(node: fx.Node) -> str:
    """The last line of the user's code, as " (file:line: code)"."""
    for name, number, code in reversed(list(frames_of(node.meta.get("stack_trace") or ""))):
        if is_theirs(name):
            return f" ({name}:{number}: {code})"
    return ""


def is_theirs(filename: str) -> bool:
    """Whether the file is the user's, and not one of torch or of Mithril."""
    path = Path(filename)
    return not (path.is_relative_to(TORCH) or path.is_relative_to(OURS) or filename.startswith("<"))


def frames_of(trace: str) -> Iterator[tuple[str, str, str]]:
    lines = trace.splitlines()
    for head, code in itertools.pairwise(lines):
        if head.lstrip().startswith('File "'):
            name, number = head.strip().removeprefix('File "').split('", line ')[0:2]
            yield name, number.partition(",")[0], code.strip()


def leaf_names(spec: Any) -> Iterable[str]:
    """One name per output: "output", "output_0", or those of a dict or a dataclass."""
    if spec.is_leaf():
        return ["output"]
    named = isinstance(spec.type, type) and (issubclass(spec.type, dict))
    return [name if named else f"output_{name}" for name in paths_of(spec)]


def paths_of(spec: Any) -> list[str]:
    if spec.is_leaf():
        return [""]
    children = spec.children()
    context = spec.context
    keys = list(range(len(children)))
    if isinstance(spec.type, type) and issubclass(spec.type, dict):
        keys = list(context[1] if context and isinstance(context[0], type) else context)
    names = []
    for key, child in zip(keys, children, strict=True):
        names += [f"{key}_{rest}" if rest else str(key) for rest in paths_of(child)]
    return names
