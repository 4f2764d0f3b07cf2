from collections.abc import Iterator
from functools import partial
from typing import Any

from layer_cases.case import IMAGE, LINE, Example, Input, Reference, examples, reference

VOLUME: Input = (1, 2, 5, 4, 3)
EXAMPLES: dict[str, list[Example]] = {
    "AdaptiveAvgPool1D": examples({"input": LINE}, {"output_size": 4}, {"output_size": (3,)}),
    "AdaptiveAvgPool2D": examples({"input": IMAGE}, {"output_size": (2, 3)}, {"output_size": 2}),
    "AdaptiveAvgPool3D": examples(
        {"input": VOLUME}, {"output_size": (2, 3, 1)}, {"output_size": 2}
    ),
    "AdaptiveMaxPool1D": examples({"input": LINE}, {"output_size": 4}, {"output_size": (3,)}),
    "AdaptiveMaxPool2D": examples({"input": IMAGE}, {"output_size": (2, 3)}, {"output_size": 2}),
    "AdaptiveMaxPool3D": examples(
        {"input": VOLUME}, {"output_size": (2, 3, 1)}, {"output_size": 2}
    ),
}

FORMS: dict[int, tuple[Input, dict[str, Any]]] = {
    1: ((2, 4, 7), {"windows that overlap": 3, "windows of one size": 7, "one window": 1}),
    2: ((2, 4, 3, 5), {"windows that overlap": [2, 3], "one window": 1, "one axis": [None, 4]}),
    3: (
        (2, 2, 3, 5, 4),
        {"windows that overlap": [2, 3, 3], "one window": 1, "two axes": [2, None, 3]},
    ),
}


def references(torch: Any) -> Iterator[Reference]:
    for kind in ("Avg", "Max"):
        for axes, (shape, sizes) in FORMS.items():
            function = getattr(torch.nn.functional, f"adaptive_{kind.lower()}_pool{axes}d")
            for name, size in sizes.items():
                yield reference(
                    name,
                    f"Adaptive{kind}Pool{axes}D",
                    {"output_size": size},
                    partial(function, output_size=size),
                    {"input": shape},
                )
