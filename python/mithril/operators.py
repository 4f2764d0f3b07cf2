"""The operators of the Python library of this name: `operators.AddOp` is `ml.Add`.

There an operator is what a primitive model holds; here an op is a model from the start.
"""

from . import models
from ._core import Model, no_attribute


def __getattr__(name: str) -> type[Model]:
    made = getattr(models, name.removesuffix("Op"), None) if name.endswith("Op") else None
    if made is None:
        no_attribute(f"module 'mithril.operators' has no attribute {name!r}")
    return made  # type: ignore[no-any-return]


def __dir__() -> list[str]:
    return [f"{name}Op" for name in models.__all__]
