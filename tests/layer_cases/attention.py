from layer_cases.case import Example, examples, points

EXAMPLES: dict[str, list[Example]] = {
    "ScaledDotProduct": [
        *examples(
            {"query": (2, 3, 4), "key": (2, 3, 4), "value": (2, 3, 5)},
            {},
            {"is_causal": False, "scale": 0.5},
            {"dropout_p": 0.0},
            {"dropout_p": 0.25, "seed": 3},
            {"dropout_p": 0.25, "inference": True},
        ),
        *examples(
            {"query": (2, 3, 4), "key": (2, 5, 4), "value": (2, 5, 5), "attn_mask": points(3, 5)},
            {"is_causal": False, "use_attn_mask": True},
        ),
    ],
}
