from collections.abc import Iterator
from typing import Any

import numpy as np

from layer_cases.case import ROWS, Example, Reference, examples, reference

EXAMPLES: dict[str, list[Example]] = {
    "ElementWiseAffine": examples(dict.fromkeys(("input", "weight", "bias"), ROWS)),
    "SiLU": examples({"input": ROWS}),
    "Split": examples(
        {"input": (4, 6)}, {"split_size": 2, "axis": -1}, {"split_size": 4, "axis": 0}
    ),
}


def references(torch: Any) -> Iterator[Reference]:
    yield reference(
        "of any sign",
        "SiLU",
        {},
        torch.nn.functional.silu,
        {"input": np.linspace(-6, 6, 12).reshape(3, 4)},
    )
