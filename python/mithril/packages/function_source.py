"""Models that functions of callers make."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._core import Backend, CompiledModel, wrong_argument
from .package import Package
from .torchscript import TorchScriptModel


def model_of_function(
    who: str, made: Any, backend: Backend | None
) -> CompiledModel | TorchScriptModel:
    """Returns the model that a function of a caller has made: a compiled model, a package, or a
    tuple (compiled, params, state). TypeError E0395 for another result."""
    if isinstance(made, Package):
        return made.compile(backend)
    if isinstance(made, (CompiledModel, TorchScriptModel)):
        return made
    compiled, *rest = made if isinstance(made, tuple) else (None,)
    is_known = len(rest) in (1, 2) and all(isinstance(argument, Mapping) for argument in rest)
    if not isinstance(compiled, CompiledModel) or not is_known:
        expected = "a compiled model, a package, a text model, or a tuple (compiled, params, state)"
        wrong_argument(who, "the result of source", expected, made)
        raise AssertionError
    params, state = (*rest, None)[:2]
    return compiled.bind(params, state or compiled.initial_state_dict)
