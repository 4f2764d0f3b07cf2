import numpy as np

from layer_cases.case import Example, examples

TOKENS = np.array([[False, True, True], [True, True, True]])
EXAMPLES: dict[str, list[Example]] = {
    "CachePositions": examples({"input": TOKENS}, {"limit": 5}, {"limit": 5, "window": 2}),
    "KeyValueCache": examples({"input": (2, 3, 4), "start": np.array(2)}, {"limit": 6}),
}
