import numpy as np

from layer_cases.case import Example, Input, examples, ints, points

ONE_HOT = {"is_pred_one_hot": False, "is_label_one_hot": False}
SCORES: dict[str, Input] = {"pred": points(6, 3), "label": np.eye(3)[ints(3, 6)]}
CLASSES: dict[str, Input] = {"pred": ints(3, 6), "label": ints(3, 6)[::-1]}
CHANCES: dict[str, Input] = {"pred": points(6), "label": ints(2, 6)}
BINARY = {"threshold": 0.5, "is_binary": True} | ONE_HOT


def averages() -> list[Example]:
    found = examples(SCORES, {"n_classes": 3}, {"n_classes": 3, "average": "macro"})
    found += examples(CLASSES, {"n_classes": 3, "average": "weighted"} | ONE_HOT)
    return found + examples(CHANCES, BINARY | {"n_classes": 2})


EXAMPLES: dict[str, list[Example]] = {
    "Accuracy": [*examples(SCORES), *examples(CLASSES, ONE_HOT), *examples(CHANCES, BINARY)],
    "F1": averages(),
    "Metric": [*examples(SCORES), *examples(CLASSES, ONE_HOT), *examples(CHANCES, BINARY)],
    "Precision": averages(),
    "Recall": averages(),
}
