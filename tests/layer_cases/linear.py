from collections.abc import Iterator
from typing import Any

from layer_cases.case import ROWS, Example, Reference, examples, reference

EXAMPLES: dict[str, list[Example]] = {
    "Linear": examples({"input": ROWS}, {"dimension": 2}, {"dimension": 2, "use_bias": False}),
}


def references(torch: Any) -> Iterator[Reference]:
    F = torch.nn.functional
    yield reference(
        "a matrix",
        "Linear",
        {"dimension": 3},
        F.linear,
        {"input": (2, 4), "weight": (3, 4), "bias": (3,)},
    )
    yield reference(
        "more axes, no bias",
        "Linear",
        {"dimension": 3, "use_bias": False},
        F.linear,
        {"input": (2, 5, 4), "weight": (3, 4)},
    )
