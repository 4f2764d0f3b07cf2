from collections.abc import Iterator
from typing import Any

from layer_cases.case import ROWS, Example, Reference, examples, reference

EXAMPLES: dict[str, list[Example]] = {
    "PReLU": examples({"input": ROWS}, {}, {"init": 0.5}),
}


def references(torch: Any) -> Iterator[Reference]:
    yield reference(
        "of any sign", "PReLU", {}, torch.nn.functional.prelu, {"input": (3, 4), "weight": (1,)}
    )
