from collections.abc import Iterator
from typing import Any

import mithril as ml
from layer_cases.case import ROWS, Example, Reference, examples, reference

EXAMPLES: dict[str, list[Example]] = {
    "Layer": examples(
        {"input": ROWS},
        {"activation": "tanh", "dimension": 2},
        {"activation": ml.LeakyRelu(slope=0.2), "dimension": 2},
    ),
    "MLP": examples(
        {"input": ROWS},
        {"activations": ["Relu", "Tanh"], "dimensions": [5, 2]},
        {
            "activations": [ml.Softmax(axis=0)],
            "dimensions": [2],
            "input_name_templates": {"weight": "w"},
        },
    ),
}


def references(torch: Any) -> Iterator[Reference]:
    F = torch.nn.functional

    def mlp(input: Any, weight0: Any, bias0: Any, weight1: Any, bias1: Any) -> Any:
        hidden = torch.sigmoid(F.linear(input, weight0, bias0))
        return torch.tanh(F.linear(hidden, weight1, bias1))

    yield reference(
        "a layer",
        "Layer",
        {"activation": "Gelu", "dimension": 3},
        lambda **p: F.gelu(F.linear(**p)),
        {"input": (2, 4), "weight": (3, 4), "bias": (3,)},
    )
    yield reference(
        "two layers",
        "MLP",
        {"activations": ["Sigmoid", "Tanh"], "dimensions": [3, 2]},
        mlp,
        {"input": (2, 4), "weight0": (3, 4), "bias0": (3,), "weight1": (2, 3), "bias1": (2,)},
    )
