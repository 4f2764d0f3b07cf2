from collections.abc import Iterator
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from layer_cases.case import Example, Reference, examples, points, reference

EXAMPLES: dict[str, list[Example]] = {
    "GridSample": examples(
        {"input": (2, 3, 4, 5), "grid": points(2, 3, 2, 2) * 3 - 1.5},
        {},
        {"mode": "nearest", "padding_mode": "border"},
        {"mode": "bicubic", "padding_mode": "reflection", "align_corners": True},
    ),
    "GridSample3d": examples(
        {"input": (2, 3, 4, 2, 5), "grid": points(2, 3, 2, 2, 3) * 3 - 1.5},
        {},
        {"mode": "nearest", "padding_mode": "border"},
        {"padding_mode": "reflection", "align_corners": True},
    ),
}
PADDINGS = ("zeros", "border", "reflection")


def references(torch: Any) -> Iterator[Reference]:
    random = np.random.default_rng(7)
    plane = random.uniform(-1.8, 1.8, (2, 3, 2, 2)).round(3)
    space = random.uniform(-1.8, 1.8, (2, 2, 1, 3, 3)).round(3)
    for layer, sizes, grid, modes in (
        ("GridSample", (4, 5), plane, ("bilinear", "nearest", "bicubic")),
        ("GridSample3d", (4, 3, 5), space, ("bilinear", "nearest")),
    ):
        for mode, padding, aligned in product(modes, PADDINGS, (False, True)):
            form = {"mode": mode, "padding_mode": padding, "align_corners": aligned}
            yield reference(
                f"{mode} {padding}" + (" aligned" if aligned else ""),
                layer,
                form,
                partial(torch.nn.functional.grid_sample, **form),
                {"input": (2, 3, *sizes), "grid": grid},
            )
