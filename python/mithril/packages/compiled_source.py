"""Models from which `ml.compile` made compiled models."""

from __future__ import annotations

from typing import Any

from .._core import CompiledModel, Model, raise_error, wrong_argument


def source_of(compiled: CompiledModel) -> tuple[Model, dict[str, Any]]:
    """Returns the model of a compiled model, and the options of `ml.compile`.

    TypeError E0395 for a compiled model that was made of another one, as `bind` does, InputError
    E0821 if the model has changed since, and BackendError E1054 if several processes train it.
    """
    known = vars(compiled)
    if "_source" not in known or "_bound" in known:
        expected = "a model, or a compiled model that ml.compile returned"
        wrong_argument("save_package", "model", expected, compiled, "")
    model, revision, _, options = known["_source"]
    if model._revision != revision:
        raise_error(
            "InputError",
            "E0821",
            "a compiled model cannot be saved after its model has changed",
            help="compile the model again",
        )
    if compiled.group is not None and compiled.group.size > 1 and not options["inference"]:
        raise_error(
            "BackendError",
            "E1054",
            "save_package takes a model of one process, and this one trains on "
            f"{compiled.group.size}",
            help="give ml.save_package the model and whole parameters, on one process",
        )
    return model, options
