from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from layer_cases.case import ROWS, Example, Input, Reference, examples, ints, points, reference

EXAMPLES: dict[str, list[Example]] = {
    "MaskedSoftmax": examples({"input": ROWS, "mask": ints(3, 4, 3) > 0}, {}, {"axis": 0}),
    "MultiHeadAttention": [
        *examples(
            dict.fromkeys(("query", "key", "value"), (2, 3, 4)),
            {"num_heads": 2},
            {"num_heads": 2, "is_causal": True, "use_bias": False, "dimension": 4},
        ),
        *examples(
            dict.fromkeys(("query", "key", "value"), (2, 3, 4)) | {"mask": np.tri(3, dtype=bool)},
            {"num_heads": 4, "use_mask": True},
        ),
    ],
    "TransformerBlock": examples(
        {"input": (2, 3, 4)},
        {"num_heads": 2, "dimension": 4},
        {"num_heads": 1, "dimension": 4, "hidden_dimension": 5, "activation": "Relu"},
        {"num_heads": 2, "dimension": 4, "is_causal": True, "norm_first": False, "eps": 0.1},
    ),
}

PROJECTIONS = ("query", "key", "value")


def projections(size: int, prefix: str = "") -> dict[str, Input]:
    names = (*PROJECTIONS, "output")
    weights: dict[str, Input] = {f"{prefix}w_{name}": (size, size) for name in names}
    return weights | {f"{prefix}bias_{name}": (size,) for name in names}


def references(torch: Any) -> Iterator[Reference]:
    size = 6
    attention = torch.nn.MultiheadAttention(size, 2, batch_first=True, dtype=torch.float64)
    causal = torch.ones(4, 4, dtype=torch.bool).triu(1)

    def torch_names(params: dict[str, Any], prefix: str = "") -> dict[str, Any]:
        """PyTorch keeps the three projections in one matrix."""
        return {
            "in_proj_weight": torch.cat([params[f"{prefix}w_{name}"] for name in PROJECTIONS]),
            "in_proj_bias": torch.cat([params[f"{prefix}bias_{name}"] for name in PROJECTIONS]),
            "out_proj.weight": params[f"{prefix}w_output"],
            "out_proj.bias": params[f"{prefix}bias_output"],
        }

    def attend(query: Any, key: Any, value: Any, attn_mask: Any = None, **params: Any) -> Any:
        return torch.func.functional_call(
            attention,
            torch_names(params),
            (query, key, value),
            {"need_weights": False, "attn_mask": attn_mask},
        )[0]

    def attended(memory: int) -> dict[str, np.ndarray]:
        x = points(2, memory, size) - 0.5
        return {"query": points(2, 4, size)[:, ::-1] * 2 - 1, "key": x, "value": x[:, :, ::-1] * 2}

    params = projections(size)
    yield reference(
        "of other places", "MultiHeadAttention", {"num_heads": 2}, attend, params, attended(3)
    )
    causally = partial(attend, attn_mask=causal)
    options = {"num_heads": 2, "is_causal": True}
    yield reference("causal", "MultiHeadAttention", options, causally, params, attended(4))

    names = {"norm1": "norm_1", "norm2": "norm_2", "linear1": "fc_1", "linear2": "fc_2"}
    for name, first in (("norms first", True), ("norms last", False)):
        layer = torch.nn.TransformerEncoderLayer(
            size, 2, 8, 0.0, "gelu", batch_first=True, norm_first=first, dtype=torch.float64
        )

        def block(input: Any, layer: Any = layer, **params: Any) -> Any:
            weights = {
                "self_attn." + key: value
                for key, value in torch_names(params, "attention.").items()
            }
            for theirs, ours in names.items():
                for key in ("weight", "bias"):
                    weights[f"{theirs}.{key}"] = params[f"{ours}.{key}"]
            return torch.func.functional_call(layer, weights, (input,))

        params = {"input": (2, 4, size)} | projections(size, "attention.")
        for ours, shape in (
            ("norm_1", (size,)),
            ("norm_2", (size,)),
            ("fc_1", (8, size)),
            ("fc_2", (size, 8)),
        ):
            params |= {f"{ours}.weight": shape, f"{ours}.bias": shape[:1]}
        yield reference(
            name,
            "TransformerBlock",
            {"num_heads": 2, "dimension": size, "hidden_dimension": 8, "norm_first": first},
            block,
            params,
        )
