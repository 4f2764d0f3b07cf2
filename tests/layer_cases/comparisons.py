from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from layer_cases.case import ROWS, Example, Reference, examples, reference

EXAMPLES: dict[str, list[Example]] = {
    "CosineSimilarity": examples({"left": ROWS, "right": ROWS}, {}, {"axis": 0, "eps": 1e-6}),
    "HuberLoss": examples({"input": ROWS, "target": ROWS}, {}, {"delta": 0.25}),
    "LogSumExp": examples({"input": ROWS}, {}, {"axis": (0, 1), "keepdim": True}),
    "SmoothL1Loss": examples({"input": ROWS, "target": ROWS}, {}, {"beta": 0.25}, {"beta": 0}),
}


def references(torch: Any) -> Iterator[Reference]:
    F = torch.nn.functional
    pair = {"input": (3, 4), "target": (3, 4)}
    for name, delta in (("the default", 1.0), ("a small parabola", 0.125)):
        yield reference(
            name,
            "HuberLoss",
            {"delta": delta},
            partial(F.huber_loss, reduction="none", delta=delta),
            pair,
        )
    for name, beta in (("the default", 1.0), ("a small parabola", 0.125), ("a line", 0.0)):
        yield reference(
            name,
            "SmoothL1Loss",
            {"beta": beta},
            partial(F.smooth_l1_loss, reduction="none", beta=beta),
            pair,
        )
    for name, axis in (("the second axis", 1), ("the last axis", -1)):
        yield reference(
            name,
            "CosineSimilarity",
            {"axis": axis},
            lambda left, right, axis=axis: F.cosine_similarity(left, right, dim=axis),
            {"left": (3, 4, 2), "right": (3, 4, 2)},
        )
    for name, form in (
        ("the last axis", {"axis": -1}),
        ("two axes", {"axis": [0, 2], "keepdim": True}),
    ):
        yield reference(
            name,
            "LogSumExp",
            form,
            lambda input, form=form: torch.logsumexp(
                input, form["axis"], form.get("keepdim", False)
            ),
            {"input": (3, 4, 2)},
        )
    yield reference(
        "large numbers",
        "LogSumExp",
        {},
        lambda input: torch.logsumexp(input, -1),
        {"input": np.array([[1000.0, 999.0], [-1000.0, -1001.0]])},
    )
