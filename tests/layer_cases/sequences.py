import math
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from layer_cases.case import Example, Reference, examples, ints, reference

HEADS = (2, 3, 4)
EXAMPLES: dict[str, list[Example]] = {
    "CausalMask": examples({"query": HEADS, "key": (2, 5, 4)}, {}, {"window": 2}),
    "OneHot": examples({"input": ints(5, 2, 3)}, {"num_classes": 5}),
    "RelativePositionBias": examples(
        {"query": HEADS, "key": (2, 5, 4)},
        {"num_heads": 2},
        {"num_heads": 3, "num_buckets": 8, "max_distance": 5, "bidirectional": False},
    ),
    "RotaryEmbedding": [
        *examples({"input": HEADS}, {}, {"base": 100.0, "interleaved": True}, {"dim": 2}),
        *examples({"input": HEADS, "positions": ints(9, 2, 3)}, {"use_positions": True}),
        *examples(
            {"input": HEADS},
            {"frequencies": (1.0, 0.3)},
            {"frequencies": (2,), "dim": 2, "interleaved": True},
        ),
    ],
}
FREQUENCIES = [1.0, 0.25, 0.03, 0.0004]


def rotary(torch: Any, base: float, input: Any, positions: Any = None) -> Any:
    size = input.shape[-1]
    inverse = 1.0 / base ** (torch.arange(0, size, 2, dtype=torch.float64) / size)
    return rotated(torch, inverse, input, positions)


def rotated(torch: Any, inverse: Any, input: Any, positions: Any = None) -> Any:
    """Computes rotary embeddings as the models of the Llama family do."""
    if positions is None:
        positions = torch.arange(input.shape[-2])
    angle = positions[..., None].double() * inverse
    angle = torch.cat((angle, angle), -1)
    first, second = input.chunk(2, -1)
    return input * angle.cos() + torch.cat((-second, first), -1) * angle.sin()


def complex_rotary(torch: Any, input: Any) -> Any:
    """Computes rotary embeddings as the paper does: neighbours are the parts of a complex
    number."""
    length, size = input.shape[-2:]
    inverse = 1.0 / 10000.0 ** (torch.arange(0, size, 2, dtype=torch.float64) / size)
    angle = torch.arange(length)[:, None].double() * inverse
    pairs = torch.view_as_complex(input.unflatten(-1, (-1, 2)).contiguous())
    return torch.view_as_real(pairs * torch.polar(torch.ones_like(angle), angle)).flatten(-2)


def bucket(torch: Any, after: Any, both: bool, buckets: int, longest: int) -> Any:
    """Computes the bucket of a distance as T5 does."""
    result = torch.zeros_like(after)
    if both:
        buckets //= 2
        result = (after > 0).long() * buckets
        after = after.abs()
    else:
        after = -torch.minimum(after, torch.zeros_like(after))
    exact = buckets // 2
    part = torch.log(after.float() / exact) / math.log(longest / exact)
    large = (exact + (part * (buckets - exact)).clamp(min=0).long()).clamp(max=buckets - 1)
    return result + torch.where(after < exact, after, large)


def relative(torch: Any, form: dict[str, Any], query: Any, key: Any, weight: Any) -> Any:
    queries, keys = query.shape[-2], key.shape[-2]
    after = torch.arange(keys)[None] - (torch.arange(queries)[:, None] + keys - queries)
    buckets, longest = form.get("num_buckets", 32), form.get("max_distance", 128)
    rows = bucket(torch, after, form.get("bidirectional", True), buckets, longest)
    return weight[rows].permute(2, 0, 1) + 0 * (query.sum() + key.sum())


def references(torch: Any) -> Iterator[Reference]:
    heads = {"input": (2, 3, 5, 8)}
    yield reference("halves", "RotaryEmbedding", {}, partial(rotary, torch, 10000.0), heads)
    yield reference(
        "another base", "RotaryEmbedding", {"base": 500.0}, partial(rotary, torch, 500.0), heads
    )
    yield reference(
        "positions",
        "RotaryEmbedding",
        {"use_positions": True},
        partial(rotary, torch, 10000.0),
        heads,
        {"positions": np.array([3, 4, 5, 0, 9])},
    )
    yield reference(
        "neighbours",
        "RotaryEmbedding",
        {"interleaved": True},
        partial(complex_rotary, torch),
        heads,
    )
    yield reference(
        "the first elements",
        "RotaryEmbedding",
        {"dim": 4},
        lambda input: torch.cat((rotary(torch, 10000.0, input[..., :4]), input[..., 4:]), -1),
        heads,
    )
    frequencies = torch.tensor(FREQUENCIES, dtype=torch.float64)
    yield reference(
        "frequencies",
        "RotaryEmbedding",
        {"frequencies": FREQUENCIES, "use_positions": True},
        partial(rotated, torch, frequencies),
        heads,
        {"positions": np.array([3, 4, 500, 0, 9])},
    )
    yield reference(
        "frequencies of the first elements",
        "RotaryEmbedding",
        {"frequencies": FREQUENCIES[1:3], "dim": 4},
        lambda input: torch.cat(
            (rotated(torch, frequencies[1:3], input[..., :4]), input[..., 4:]), -1
        ),
        heads,
    )
    for name, form, length in (
        ("both directions", {"num_heads": 1, "num_buckets": 8, "max_distance": 10}, 15),
        ("fewer queries", {"num_heads": 2, "max_distance": 16}, 2),
        ("earlier keys", {"num_heads": 1, "bidirectional": False}, 1),
    ):
        keys = 15 if length == 15 else 150
        yield reference(
            name,
            "RelativePositionBias",
            form,
            partial(relative, torch, form),
            {
                "query": (1, length, 1),
                "key": (1, keys, 1),
                "weight": (form.get("num_buckets", 32), form["num_heads"]),
            },
        )
