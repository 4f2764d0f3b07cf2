from collections.abc import Iterator
from typing import Any

from layer_cases.case import IMAGE, LINE, Example, Reference, examples, reference

EXAMPLES: dict[str, list[Example]] = {
    "InstanceNorm": [
        *examples({"input": IMAGE}, {}, {"use_scale": True, "use_bias": True, "eps": 1e-3}),
        *examples({"input": LINE}, {}),
    ],
}


def references(torch: Any) -> Iterator[Reference]:
    F = torch.nn.functional
    yield reference("planes", "InstanceNorm", {}, F.instance_norm, {"input": (2, 3, 4, 5)})
    yield reference(
        "rows with weight and bias",
        "InstanceNorm",
        {"use_scale": True, "use_bias": True},
        F.instance_norm,
        {"input": (2, 3, 5), "weight": (3,), "bias": (3,)},
    )
