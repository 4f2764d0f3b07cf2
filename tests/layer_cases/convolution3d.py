from collections.abc import Iterator
from functools import partial
from typing import Any

from layer_cases.case import Example, Reference, examples, reference

BLOCK = (2, 4, 5, 4, 6)
EXAMPLES: dict[str, list[Example]] = {
    "Conv3d": examples(
        {"input": BLOCK},
        {"filters": 2, "kernel_size": 3, "padding": 1},
        {"filters": 4, "kernel_size": (1, 2, 3), "stride": (2, 1, 1), "groups": 2},
        {"filters": 2, "kernel_size": 2, "dilation": (2, 1, 1), "use_bias": False},
    ),
    "ConvTranspose1d": examples(
        {"input": (2, 4, 5)},
        {"filters": 2, "kernel_size": 3},
        {"filters": 2, "kernel_size": 3, "stride": 2, "padding": 1, "output_padding": 1},
        {"filters": 2, "kernel_size": 2, "dilation": 2, "groups": 2, "use_bias": False},
    ),
    "ConvTranspose3d": examples(
        {"input": (1, 2, 3, 2, 3)},
        {"filters": 2, "kernel_size": 2},
        {"filters": 2, "kernel_size": (3, 2, 2), "stride": 2, "padding": (1, 0, 1)},
        {
            "filters": 2,
            "kernel_size": 2,
            "stride": 2,
            "dilation": (2, 1, 1),
            "output_padding": (1, 0, 1),
            "groups": 2,
            "use_bias": False,
        },
    ),
}
PLAIN = {
    "a window": {},
    "padding and a stride": {"stride": [2, 1, 2], "padding": [1, 0, 1]},
    "a dilation in groups": {"dilation": [1, 2, 1], "padding": [0, 1, 1], "groups": 2},
}
TRANSPOSED = {
    "a window": {},
    "padding and a stride": {"stride": [2, 1, 3], "padding": [1, 0, 1]},
    "a size between, in groups": {
        "stride": 2,
        "dilation": [2, 1, 1],
        "output_padding": [1, 0, 1],
        "groups": 2,
    },
}


def references(torch: Any) -> Iterator[Reference]:
    F = torch.nn.functional
    for name, form in PLAIN.items():
        yield reference(
            name,
            "Conv3d",
            {"filters": 4, "kernel_size": [2, 3, 2], **form},
            partial(F.conv3d, **form),
            {
                "input": (2, 4, 4, 5, 3),
                "weight": (4, 4 // form.get("groups", 1), 2, 3, 2),
                "bias": (4,),
            },
        )
    for name, form in TRANSPOSED.items():
        filters = 4 // form.get("groups", 1)
        yield reference(
            name,
            "ConvTranspose3d",
            {"filters": 4, "kernel_size": [3, 2, 2], **form},
            partial(F.conv_transpose3d, **form),
            {"input": (1, 2, 3, 2, 3), "weight": (2, filters, 3, 2, 2), "bias": (4,)},
        )
        line = {key: value[0] if isinstance(value, list) else value for key, value in form.items()}
        yield reference(
            name,
            "ConvTranspose1d",
            {"filters": 4, "kernel_size": 3, **line},
            partial(F.conv_transpose1d, **line),
            {"input": (2, 2, 5), "weight": (2, filters, 3), "bias": (4,)},
        )
