"""Finds the keys of the parameters that an optimizer of torch holds."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .._core import CompiledModel, raise_error


def params_of(
    compiled: CompiledModel, optimizer: Any, given: dict[str, Any] | None
) -> dict[str, Any]:
    """Returns the parameters of the model by key. InputError E0816 if they are not clear.

    given: the parameters by key, which must include those of the optimizer.
    """
    groups = optimizer.param_groups
    tensors = [tensor for group in groups for tensor in group["params"]]
    names = [name for group in groups for name in group.get("param_names") or ()]
    if given is not None:
        compiled.load_state_dict(given)  # refuses other keys and shapes
        held = {id(tensor) for tensor in given.values()}
        if any(id(tensor) not in held for tensor in tensors):
            _refuse("a parameter of the optimizer is not among 'params'")
        return given
    if len(names) == len(tensors):
        named = dict(zip(names, tensors, strict=True))
        missing = set(compiled.parameter_keys) - set(named)
        if missing and missing <= set(compiled.frozen_keys):
            _refuse("the optimizer does not hold the frozen parameters")
        compiled.load_state_dict(named)
        return named
    shapes, keys = compiled.shapes, compiled.parameter_keys
    orders = {tuple(keys), tuple(_in_modules(keys))}
    sizes = [list(tensor.shape) for tensor in tensors]
    fitting = [order for order in orders if [shapes.get(key) for key in order] == sizes]
    if len(groups) > 1 or len(fitting) != 1:
        _refuse("the parameters of the optimizer have no names, and their order does not tell them")
    return dict(zip(fitting[0], tensors, strict=True))


def _in_modules(keys: Iterable[str]) -> list[str]:
    """Orders keys as torch.nn.Module.parameters(): a module's own before its submodules'."""
    keys = list(keys)
    own = [key for key in keys if "." not in key]
    parts: dict[str, list[str]] = {}
    for key in keys:
        part, dot, rest = key.partition(".")
        if dot:
            parts.setdefault(part, []).append(rest)
    nested = [f"{part}.{key}" for part, rest in parts.items() for key in _in_modules(rest)]
    return own + nested


def _refuse(message: str) -> None:
    raise_error(
        "InputError",
        "E0816",
        f"attach: {message}",
        help="give the optimizer module.named_parameters(), or attach(optimizer, params) a dict "
        "of all parameters by key",
    )
