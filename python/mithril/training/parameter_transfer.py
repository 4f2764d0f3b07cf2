"""Parameters of a model for an edited copy of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._core import CompiledModel, raise_error, wrong_argument
from .._internal.arguments import checked


@dataclass
class TransferReport:
    """The keys of parameters that `transfer` did not copy.

    Attributes:
        added: parameters that the old model does not have.
        dropped: parameters that the new model does not have.
        reshaped: parameters with another shape in the new model.

    Example:
        params, report = ml.transfer(params, compiled, compiled)
        assert report == ml.TransferReport()

    See docs/editing.md.
    """

    added: list[str] = field(default_factory=list)
    dropped: list[str] = field(default_factory=list)
    reshaped: list[str] = field(default_factory=list)


@checked
def transfer(
    params: Mapping[str, Any], old: CompiledModel, new: CompiledModel, *, seed: int = 0
) -> tuple[dict[str, Any], TransferReport]:
    """Returns the parameters of a new model, with those that kept their path and shape taken over.

    Args:
        params: the parameters of the old model.
        old: the old model.
        new: the new model, such as an edited copy. Its other parameters begin as in
            `get_parameters(seed)`.
        seed: the seed of the parameters that begin anew.

    Returns:
        The parameters, and a report of those that were not taken over.

    Raises:
        NameError: If `params` lacks a parameter of the old model.

    Example:
        edited = model.edit().insert_after("linear", ml.Linear(3, name="head"))
        old, new = (ml.compile(version, ml.CpuBackend()) for version in (model, edited))
        params, report = ml.transfer(old.get_parameters(), old, new)
        assert report.added == ["head.weight", "head.bias"]

    See docs/editing.md.
    """
    if not isinstance(params, Mapping):
        wrong_argument("transfer", "params", "a dict of parameters", params, "")
    for name, model in (("old", old), ("new", new)):
        if not isinstance(model, CompiledModel):
            wrong_argument("transfer", name, "a compiled model", model, "")
    made = new.get_parameters(seed)
    report = TransferReport()
    for key in old.parameter_keys:
        if key not in params:
            raise_error("NameError", "E0609", f"there is no parameter '{key}' in params")
        if key not in made:
            report.dropped.append(key)
    for key, value in made.items():
        if key not in params:
            report.added.append(key)
        elif tuple(np.shape(params[key])) != tuple(value.shape):
            report.reshaped.append(key)
        else:
            made[key] = params[key]
    return made, report
