"""The operators of the Python library of this name: `operators.AddOp` is `ml.Add`.

In that library a primitive model contains an operator; here an op is a model itself.
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
