from collections.abc import Iterator
from typing import Any

import numpy as np

from layer_cases.case import Example, Reference, examples, points, reference

EXAMPLES: dict[str, list[Example]] = {
    name: examples({"input": points(4, 3)}) for name in ("Acos", "Asin", "Cosh", "Sinh", "Tan")
}


def references(torch: Any) -> Iterator[Reference]:
    for name in ("Acos", "Asin"):
        numbers = {"input": np.linspace(-0.99, 0.99, 12).reshape(3, 4)}
        yield reference("of any sign", name, {}, getattr(torch, name.lower()), numbers)
    for name in ("Cosh", "Sinh", "Tan"):
        numbers = {"input": np.linspace(-4, 4, 12).reshape(3, 4)}
        yield reference("of any sign", name, {}, getattr(torch, name.lower()), numbers)
    small = {"input": np.array([-1e-9, 1e-5, 30.0])}
    yield reference("small and large numbers", "Sinh", {}, torch.sinh, small)
