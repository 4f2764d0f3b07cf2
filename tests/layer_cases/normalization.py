from collections.abc import Iterator
from functools import partial
from typing import Any

from layer_cases.case import IMAGE, ROWS, Example, Input, Reference, examples, points, reference

EXAMPLES: dict[str, list[Example]] = {
    "BatchNorm1D": examples(
        {"input": ROWS, "running_mean": (3,), "running_var": points(3) + 0.5},
        {},
        {"num_features": 3, "use_scale": False},
        {"use_bias": False, "eps": 0.1},
        {"inference": True},
        {"inference": False, "momentum": 0.3},
    ),
    "BatchNorm2D": examples(
        {"input": IMAGE, "running_mean": (4,), "running_var": points(4) + 0.5},
        {},
        {"num_features": 4, "use_scale": False},
        {"use_bias": False, "eps": 0.1},
        {"inference": True},
        {"inference": False, "momentum": 0.3},
    ),
    "GroupNorm": examples(
        {"input": (2, 4, 3)},
        {"num_groups": 2},
        {"num_groups": 4, "use_scale": False},
        {"num_groups": 1, "use_bias": False, "eps": 0.1},
    ),
    "LayerNorm": examples(
        {"input": (2, 3, 4)}, {}, {"use_scale": False}, {"use_bias": False, "eps": 0.1}
    ),
    "RMSNorm": examples({"input": ROWS}, {}, {"use_scale": False, "eps": 0.1}),
}

AFFINE: dict[str, Input] = {"weight": (4,), "bias": (4,)}


def layer_norms(F: Any) -> Iterator[Reference]:
    yield reference(
        "a matrix",
        "LayerNorm",
        {},
        partial(F.layer_norm, normalized_shape=(4,)),
        {"input": (3, 4)} | AFFINE,
    )
    yield reference(
        "more axes, another eps, no bias",
        "LayerNorm",
        {"eps": 0.01, "use_bias": False},
        partial(F.layer_norm, normalized_shape=(4,), eps=0.01),
        {"input": (2, 3, 4), "weight": (4,)},
    )
    yield reference(
        "no weight and no bias",
        "LayerNorm",
        {"use_scale": False, "use_bias": False},
        partial(F.layer_norm, normalized_shape=(4,)),
        {"input": (3, 4)},
    )
    rms_norm = partial(F.rms_norm, normalized_shape=(4,))
    yield reference(
        "rows", "RMSNorm", {}, partial(rms_norm, eps=1e-5), {"input": (2, 3, 4), "weight": (4,)}
    )
    yield reference(
        "no weight, another eps",
        "RMSNorm",
        {"use_scale": False, "eps": 0.01},
        partial(rms_norm, eps=0.01),
        {"input": (3, 4)},
    )


def group_norms(F: Any) -> Iterator[Reference]:
    for name, shape in (("images", (3, 4, 2, 3)), ("a matrix", (3, 4)), ("rows", (2, 4, 5))):
        yield reference(
            name,
            "GroupNorm",
            {"num_groups": 2},
            partial(F.group_norm, num_groups=2),
            {"input": shape} | AFFINE,
        )
    yield reference(
        "no bias, another eps",
        "GroupNorm",
        {"num_groups": 4, "use_bias": False, "eps": 0.01},
        partial(F.group_norm, num_groups=4, eps=0.01),
        {"input": (2, 4, 3), "weight": (4,)},
    )


def trained(
    torch: Any, name: str, layer: str, options: dict[str, float], shapes: list[tuple[int, ...]]
) -> Reference:
    """A step of training for each shape of the input."""
    state = {
        "running_mean": torch.zeros(4, dtype=torch.float64),
        "running_var": torch.ones(4, dtype=torch.float64),
    }
    function = partial(torch.nn.functional.batch_norm, **state, training=True, **options)
    steps: list[dict[str, Input]] = [
        {"input": shape, "weight": points(4), "bias": points(4)} for shape in shapes
    ]
    return Reference(name, layer, {"inference": False, **options}, function, steps, state=state)


def references(torch: Any) -> Iterator[Reference]:
    F = torch.nn.functional
    yield from layer_norms(F)
    yield from group_norms(F)
    yield reference(
        "inference",
        "BatchNorm2D",
        {"num_features": 4, "inference": True},
        F.batch_norm,
        {"input": (3, 4, 2, 3)} | AFFINE,
        {"running_mean": points(4) - 0.5, "running_var": points(4) + 0.5},
    )
    yield trained(
        torch,
        "three steps of training",
        "BatchNorm2D",
        {"momentum": 0.3, "eps": 0.001},
        [(n, 4, 2, 3) for n in (3, 1, 5)],
    )
    yield trained(torch, "training on a matrix and on rows", "BatchNorm1D", {}, [(3, 4), (5, 4)])
