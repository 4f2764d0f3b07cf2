"""Small packages for tests."""

from pathlib import Path
from typing import Any

import numpy as np

import mithril as ml

# The sizes of a small BERT.
SMALL_BERT = {
    "vocab_size": 8000,
    "max_position_embeddings": 16,
    "hidden_size": 24,
    "intermediate_size": 40,
    "num_hidden_layers": 2,
    "num_attention_heads": 3,
}


def model() -> ml.Model:
    net = ml.Model()
    net |= ml.Linear(3)(input=ml.IOKey("x", shape=["N", 4]))
    net += ml.Relu()
    net += ml.Linear(2)(output="y")
    return net


def params(seed: int = 0) -> dict[str, Any]:
    return ml.compile(model(), ml.CpuBackend(), inference=True).get_parameters(seed)


X = np.arange(8, dtype=np.float32).reshape(2, 4) - 3


def answer(seed: int = 0) -> Any:
    compiled = ml.compile(model(), ml.CpuBackend(), inference=True)
    return compiled.evaluate(params(seed), {"x": X})["y"]


def save(path: Path, seed: int = 0, **more: Any) -> Path:
    ml.save_package(path, model(), params(seed), **more)
    return path


WRONG_RUNS = [(2, "E0801"), (2, "E0802"), (2, "E0803"), (2, "E0804"), (2, "E0805")]


def codes_of_wrong_runs(library: Any, opened: Any) -> list[tuple[int, str]]:
    """The statuses and codes of runs with a missing or another key, rank, size and dtype."""
    wrong = (
        {},
        {"y": X},
        {"x": X[0]},
        {"x": np.ascontiguousarray(X[:, :3])},
        {"x": X.astype(np.int64)},
    )
    return [library.run(opened, data)[:2] for data in wrong]
