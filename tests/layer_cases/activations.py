from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from layer_cases.case import ROWS, Example, Reference, examples, reference

EXAMPLES: dict[str, list[Example]] = {
    "ELU": examples({"input": ROWS}, {}, {"alpha": 0.5}),
    "Hardsigmoid": examples({"input": ROWS}),
    "Hardswish": examples({"input": ROWS}),
    "Mish": examples({"input": ROWS}),
    "QuickGelu": examples({"input": ROWS}),
    "Relu6": examples({"input": ROWS}),
    "SELU": examples({"input": ROWS}),
}


def references(torch: Any) -> Iterator[Reference]:
    F = torch.nn.functional
    # Neither of these is where two slopes meet.
    numbers = {"input": np.linspace(-6.5, 6, 12).reshape(3, 4)}
    for layer in ("Hardswish", "Mish", "SELU"):
        yield reference("of any sign", layer, {}, getattr(F, layer.lower()), numbers)
    # The gradient of F.hardsigmoid multiplies with 1 / 6 in float32.
    yield reference("of any sign", "Hardsigmoid", {}, lambda input: F.relu6(input + 3) / 6, numbers)
    yield reference("of any sign", "Relu6", {}, F.relu6, {"input": np.linspace(-6.5, 9, 12)})
    yield reference(
        "of any sign", "QuickGelu", {}, lambda input: input * F.sigmoid(1.702 * input), numbers
    )
    for name, alpha in (("the default", 1.0), ("another limit", 0.25)):
        yield reference(name, "ELU", {"alpha": alpha}, partial(F.elu, alpha=alpha), numbers)
    yield reference(
        "large numbers", "ELU", {}, F.elu, {"input": np.array([-1000.0, -1e-12, 1e-12, 1000.0])}
    )
