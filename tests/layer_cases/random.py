import mithril as ml
from layer_cases.case import Example, examples

EXAMPLES: dict[str, list[Example]] = {
    "RandInt": examples(
        {},
        {"shape": (2, 3), "low": 1, "high": 9},
        {"shape": 2, "key": 4, "low": -3, "high": 9, "dtype": ml.int32},
    ),
    "Randn": examples({}, {"shape": (2, 3)}, {"shape": 2, "key": 4, "dtype": ml.float32}),
}
