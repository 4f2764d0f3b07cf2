import mithril as ml
from layer_cases.case import Example, each

EXAMPLES: dict[str, list[Example]] = {
    "RandInt": each(
        {},
        {"shape": (2, 3), "low": 1, "high": 9},
        {"shape": 2, "key": 4, "low": -3, "high": 9, "dtype": ml.int32},
    ),
    "Randn": each({}, {"shape": (2, 3)}, {"shape": 2, "key": 4, "dtype": ml.float32}),
}
