from collections.abc import Iterator
from functools import partial
from typing import Any

from layer_cases.case import (
    IMAGE,
    LINE,
    WINDOW1,
    WINDOW2,
    Example,
    Reference,
    examples,
    reference,
    windows,
)

EXAMPLES: dict[str, list[Example]] = {
    "Conv1d": windows(
        LINE,
        {"filters": 2, "kernel_size": 3},
        (*WINDOW1, {"use_bias": False, "kernel_size": (5,)}, {"groups": 2}),
    ),
    "Conv2d": windows(
        IMAGE,
        {"filters": 2, "kernel_size": (3, 1)},
        (*WINDOW2, {"use_bias": False}, {"groups": 2}),
    ),
    "Convolution1D": [
        *windows(LINE, {"out_channels": 2, "kernel_size": 3}, (*WINDOW1, {"groups": 2})),
        *examples({"input": LINE, "weight": (2, 4, 4)}, {}, {"use_bias": False, "padding": "same"}),
    ],
    "Convolution2D": [
        *windows(IMAGE, {"out_channels": 2, "kernel_size": 3}, (*WINDOW2, {"groups": 2})),
        *examples(
            {"input": IMAGE, "weight": (2, 4, 4, 3)}, {}, {"use_bias": False, "padding": "same"}
        ),
    ],
}

FORMS = {
    "a 3x3 kernel": {"kernel_size": 3},
    "a stride": {"kernel_size": 3, "stride": 2, "padding": 1},
    "a dilation": {"kernel_size": 2, "padding": 2, "dilation": 3},
}


def references(torch: Any) -> Iterator[Reference]:
    F = torch.nn.functional
    for name, form in FORMS.items():
        k = form["kernel_size"]
        rest = {key: value for key, value in form.items() if key != "kernel_size"}
        yield reference(
            name,
            "Conv1d",
            {"filters": 2, **form},
            partial(F.conv1d, **rest),
            {"input": (2, 3, 8), "weight": (2, 3, k), "bias": (2,)},
        )
        yield reference(
            name,
            "Conv2d",
            {"filters": 2, **form},
            partial(F.conv2d, **rest),
            {"input": (2, 3, 5, 6), "weight": (2, 3, k, k), "bias": (2,)},
        )
    uneven = {"stride": [2, 1], "padding": [0, 2], "dilation": [1, 2]}
    yield reference(
        "an option for each axis, no bias",
        "Conv2d",
        {"filters": 2, "kernel_size": [2, 3], "use_bias": False, **uneven},
        partial(F.conv2d, **uneven),
        {"input": (2, 2, 5, 6), "weight": (2, 2, 2, 3)},
    )
    yield reference(
        "one channel in each group",
        "Conv1d",
        {"filters": 4, "kernel_size": 3, "groups": 4, "padding": 2},
        partial(F.conv1d, groups=4, padding=2),
        {"input": (2, 4, 6), "weight": (4, 1, 3), "bias": (4,)},
    )
    yield reference(
        "groups",
        "Convolution2D",
        {"out_channels": 4, "kernel_size": 2, "groups": 2},
        partial(F.conv2d, groups=2),
        {"input": (2, 6, 3, 4), "weight": (4, 3, 2, 2), "bias": (4,)},
    )
