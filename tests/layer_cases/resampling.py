from collections.abc import Iterator
from functools import partial
from itertools import product
from typing import Any

from layer_cases.case import IMAGE, Example, Reference, examples, reference, windows

EXAMPLES: dict[str, list[Example]] = {
    "ConvTranspose2d": windows(
        IMAGE,
        {"filters": 2, "kernel_size": 3},
        (
            {"stride": 2, "padding": 1, "output_padding": 1},
            {"dilation": 2, "groups": 2},
            {"use_bias": False},
        ),
    ),
    "Upsample": examples(
        {"input": (1, 2, 3, 4)},
        {},
        {"scale_factor": (2, 3), "mode": "bilinear"},
        {"size": (5, 3)},
        {"size": 7, "mode": "bicubic", "align_corners": True},
        {"size": (2, 7), "mode": "bilinear", "antialias": True},
    ),
}

TRANSPOSED = {
    "a stride": {"stride": 2},
    "padding and a dilation": {"stride": [2, 1], "padding": 1, "dilation": [1, 2]},
    "a size between": {"stride": 3, "output_padding": [2, 1], "groups": 2},
}


def references(torch: Any) -> Iterator[Reference]:
    F = torch.nn.functional
    for name, form in TRANSPOSED.items():
        channels = 3 if "groups" in form else 6
        yield reference(
            name,
            "ConvTranspose2d",
            {"filters": 6, "kernel_size": [2, 3], **form},
            partial(F.conv_transpose2d, **form),
            {"input": (2, 4, 3, 5), "weight": (4, channels, 2, 3), "bias": (6,)},
        )
    for name, mode, scale in (("pixels", "nearest", [2, 3]), ("a plane", "bilinear", [3, 2])):
        factors = tuple(map(float, scale))
        yield reference(
            name,
            "Upsample",
            {"mode": mode, "scale_factor": scale},
            partial(F.interpolate, scale_factor=factors, mode=mode),
            {"input": (2, 2, 3, 4)},
        )
    for mode, size, aligned in (
        ("nearest", [5, 3], False),
        ("bilinear", [5, 3], False),
        ("bilinear", [2, 7], True),
        ("bicubic", [5, 3], False),
        ("bicubic", [2, 7], True),
        ("bicubic", 1, True),
    ):
        form = {"mode": mode, "size": size} | ({"align_corners": True} if aligned else {})
        yield reference(
            f"{mode} to {size}",
            "Upsample",
            form,
            partial(F.interpolate, **form),
            {"input": (2, 2, 3, 4)},
        )
    for mode, size, aligned in product(
        ("bilinear", "bicubic"), ([3, 11], [16, 2], 1), (False, True)
    ):
        form = {"mode": mode, "size": size, "align_corners": aligned, "antialias": True}
        yield reference(
            f"{mode} antialiased to {size}" + (" aligned" if aligned else ""),
            "Upsample",
            form,
            partial(F.interpolate, **form),
            {"input": (2, 2, 7, 8)},
        )
    yield reference(
        "bicubic by a factor",
        "Upsample",
        {"mode": "bicubic", "scale_factor": [2, 3]},
        partial(F.interpolate, mode="bicubic", scale_factor=(2.0, 3.0)),
        {"input": (2, 2, 3, 4)},
    )
