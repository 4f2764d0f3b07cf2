"""The argument `dynamic_shapes` of `ml.from_torch`: forms of torch.export, and names of sizes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch.export import Dim
from torch.utils import _pytree as pytree

from .._core import raise_error
from .exported import Names


def dims_of(inputs: dict[str, Any], dynamic: Any, names: Names) -> Any:
    """The form that torch.export takes, for each input of forward by its name. The names of axes
    are added to `names`."""
    if dynamic is None:
        return None
    if isinstance(dynamic, str):  # "auto"
        return {name: pytree.tree_map(automatic, value) for name, value in inputs.items()}
    given = by_name(inputs, dynamic)
    unknown = [name for name in given if name not in inputs]
    if unknown:
        refuse_shapes(f"dynamic_shapes names {unknown[0]!r}, which is not an input", inputs)
    return {name: spec_of(name, value, given.get(name), names) for name, value in inputs.items()}


def by_name(inputs: dict[str, Any], dynamic: Any) -> dict[str, Any]:
    if isinstance(dynamic, Mapping):
        return dict(dynamic)
    if len(dynamic) not in (0, len(inputs)):
        refuse_shapes(f"dynamic_shapes has {len(dynamic)} items for {len(inputs)} inputs", inputs)
    return dict(zip(inputs, dynamic, strict=False))


def refuse_shapes(what: str, inputs: dict[str, Any]) -> None:
    raise_error("NameError", "E0618", what, facts=[("inputs", ", ".join(inputs))])


def spec_of(name: str, value: Any, given: Any, names: Names) -> Any:
    """The dynamic shape of an argument, for torch.export, which checks its structure."""
    if given is None:
        return pytree.tree_map(lambda _: None, value)
    if isinstance(value, torch.Tensor):
        return axes_of(name, given, names)
    if isinstance(value, dict) and isinstance(given, Mapping):
        rest = {key: spec for key, spec in given.items() if key not in value}
        return rest | {
            key: spec_of(f"{name}_{key}", item, given.get(key), names)
            for key, item in value.items()
        }
    is_list = isinstance(value, list | tuple) and isinstance(given, list | tuple)
    if not is_list or len(value) != len(given):
        return given
    specs = [
        spec_of(f"{name}_{i}", item, spec, names)
        for i, (item, spec) in enumerate(zip(value, given, strict=True))
    ]
    if isinstance(value, list):
        return specs
    return type(value)(*specs) if hasattr(value, "_fields") else tuple(specs)


def axes_of(name: str, given: Any, names: Names) -> Any:
    """Names of axes as dims of torch, which has its own reasons to refuse names."""
    if isinstance(given, Mapping):
        dims = dict(given)
    elif isinstance(given, list | tuple):
        dims = dict(enumerate(given))
    else:
        return given
    named = {axis: name_of(dim) for axis, dim in dims.items()}
    names[name] = {axis: label for axis, label in named.items() if label}
    return {
        axis: Dim.DYNAMIC if isinstance(dim, str) else dim
        for axis, dim in dims.items()
        if dim is not None
    }


def name_of(dim: Any) -> str:
    """The name of a size: ours, or that of `Dim("N")`. Sizes such as 2 * N have none."""
    if isinstance(dim, str):
        return dim
    name = str(getattr(dim, "__name__", ""))
    return name if name.isidentifier() else ""


def automatic(value: Any) -> Any:
    """The first axis of each tensor, and all axes of tokens and masks, which hold no floats."""
    if not isinstance(value, torch.Tensor):
        return None
    count = min(1, value.dim()) if value.is_floating_point() else value.dim()
    return dict.fromkeys(range(count), Dim.AUTO)
