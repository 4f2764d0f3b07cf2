"""Short texts about dicts of tensors."""

import math
from collections.abc import Mapping
from typing import Any


def summary_of(tensors: Mapping[str, Any]) -> str:
    """The number of tensors and of their elements, in a few words."""
    elements = sum(math.prod(getattr(value, "shape", ())) for value in tensors.values())
    return f"{len(tensors)} tensors, {elements:,} elements"
