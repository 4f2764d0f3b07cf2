from collections.abc import Iterator
from functools import partial
from typing import Any

from layer_cases.case import IMAGE, Example, Reference, examples, reference, windows

WINDOW = ({"stride": 2, "padding": 1}, {"dilation": (1, 2)})
EXAMPLES: dict[str, list[Example]] = {
    "Fold": [
        *examples({"input": (2, 18, 30)}, {"output_size": (7, 8), "kernel_size": 3}),
        *examples(
            {"input": (2, 8, 12)},
            {
                "output_size": (7, 8),
                "kernel_size": 2,
                "stride": 2,
                "padding": (0, 1),
                "dilation": (1, 2),
            },
        ),
    ],
    "PixelShuffle": examples({"input": (2, 8, 3, 4)}, {"upscale_factor": 2}),
    "PixelUnshuffle": examples({"input": (2, 3, 4, 6)}, {"downscale_factor": 2}),
    "Unfold": windows(IMAGE, {"kernel_size": (3, 2)}, WINDOW),
}
WINDOWS = {
    "a window": {"kernel_size": [3, 2]},
    "padding and a stride": {"kernel_size": 2, "stride": [2, 1], "padding": [1, 0]},
    "a dilation": {"kernel_size": 2, "dilation": 2, "padding": 1},
}


def references(torch: Any) -> Iterator[Reference]:
    F = torch.nn.functional
    image = {"input": (2, 3, 5, 6)}
    for name, form in WINDOWS.items():
        yield reference(name, "Unfold", form, partial(F.unfold, **form), image)
        columns = F.unfold(torch.zeros(2, 3, 5, 6), **form).shape
        arguments = {"output_size": [5, 6], **form}
        yield reference(name, "Fold", arguments, partial(F.fold, **arguments), {"input": columns})
    yield reference(
        "a factor of 3",
        "PixelShuffle",
        {"upscale_factor": 3},
        partial(F.pixel_shuffle, upscale_factor=3),
        {"input": (2, 18, 2, 3)},
    )
    yield reference(
        "a factor of 2",
        "PixelUnshuffle",
        {"downscale_factor": 2},
        partial(F.pixel_unshuffle, downscale_factor=2),
        {"input": (2, 3, 4, 6)},
    )
