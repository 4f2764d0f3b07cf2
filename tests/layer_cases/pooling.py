from collections.abc import Iterator
from functools import partial
from typing import Any

from layer_cases.case import (
    IMAGE,
    LINE,
    WINDOW1,
    WINDOW2,
    Example,
    Input,
    Reference,
    reference,
    windows,
)

KERNEL = {"kernel_size": 3}

EXAMPLES: dict[str, list[Example]] = {
    "AvgPool1D": windows(LINE, KERNEL, WINDOW1),
    "AvgPool2D": windows(IMAGE, KERNEL, WINDOW2),
    "MaxPool1D": windows(LINE, KERNEL, WINDOW1),
    "MaxPool2D": windows(IMAGE, KERNEL, WINDOW2),
}

FORMS = {
    "a window of 2": {"kernel_size": 2},
    "windows that overlap": {"kernel_size": 3, "stride": 1},
    "padding": {"kernel_size": 3, "stride": 2, "padding": 1},
}


def references(torch: Any) -> Iterator[Reference]:
    F = torch.nn.functional
    line: dict[str, Input] = {"input": (2, 3, 7)}
    image: dict[str, Input] = {"input": (2, 3, 5, 6)}
    for name, form in FORMS.items():
        yield reference(name, "MaxPool1D", form, partial(F.max_pool1d, **form), line)
        yield reference(name, "MaxPool2D", form, partial(F.max_pool2d, **form), image)
        yield reference(name, "AvgPool1D", form, partial(F.avg_pool1d, **form), line)
        yield reference(name, "AvgPool2D", form, partial(F.avg_pool2d, **form), image)
    dilated = {"kernel_size": [2, 3], "stride": [1, 2], "dilation": [2, 1]}
    yield reference(
        "dilation", "MaxPool2D", dilated, partial(F.max_pool2d, **dilated), {"input": (2, 3, 5, 7)}
    )
