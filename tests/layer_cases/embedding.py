from collections.abc import Iterator
from typing import Any

import numpy as np

from layer_cases.case import Example, Reference, examples, ints, reference

EXAMPLES: dict[str, list[Example]] = {
    "Embedding": examples(
        {"input": ints(5, 2, 3)},
        {"num_embeddings": 5, "dim": 2},
        {"num_embeddings": 5, "dim": 2, "padding_idx": 1},
    ),
}


def references(torch: Any) -> Iterator[Reference]:
    yield reference(
        "a row twice",
        "Embedding",
        {"num_embeddings": 5, "dim": 3},
        torch.nn.functional.embedding,
        {"weight": (5, 3)},
        {"input": np.array([[1, 4], [1, 0]])},
    )
