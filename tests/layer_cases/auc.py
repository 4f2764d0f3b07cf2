import numpy as np

from layer_cases.case import Example, examples, ints, points

EXAMPLES: dict[str, list[Example]] = {
    "AUC": [
        *examples({"pred": points(6, 3), "label": np.eye(3)[ints(3, 6)]}, {"n_classes": 3}),
        *examples(
            {"pred": points(6), "label": ints(2, 6)}, {"n_classes": 1, "is_label_one_hot": False}
        ),
    ],
}
