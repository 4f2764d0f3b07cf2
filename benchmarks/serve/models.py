"""The models that the servers serve, and their requests.

Torch makes the weights and writes the ONNX files, so that all servers compute the same function.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).parents[2]
SEED = 7
# The sizes of MiniLM-L6.
SIZES = {
    "hidden_size": 384,
    "intermediate_size": 1536,
    "num_hidden_layers": 6,
    "num_attention_heads": 12,
}


@dataclass(frozen=True)
class Workload:
    """A model with its inputs, which `request` makes anew for each request."""

    name: str
    output: str
    request: Callable[[np.random.Generator], dict[str, np.ndarray[Any, Any]]]
    mask: str | None = None


def mlp_request(random: np.random.Generator) -> dict[str, np.ndarray[Any, Any]]:
    return {"x": random.normal(size=(1, 784)).astype(np.float32)}


def text_request(random: np.random.Generator) -> dict[str, np.ndarray[Any, Any]]:
    """A sentence of 8 to 32 tokens."""
    length = int(random.integers(8, 33))
    return {
        "input_ids": random.integers(1000, 20000, (1, length)),
        "token_type_ids": np.zeros((1, length), np.int64),
        "attention_mask": np.ones((1, length), bool),
    }


WORKLOADS = {
    "mlp": Workload("mlp", "y", mlp_request),
    "minilm": Workload("minilm", "embedding", text_request, "attention_mask"),
}


def compiled_model(name: str, folder: Path) -> tuple[Any, dict[str, Any]]:
    """The compiled model of Mithril, and its parameters from the prepared folder."""
    import mithril as ml  # noqa: PLC0415 - peers do not have it

    if name == "mlp":
        model = ml.Model()
        model |= ml.Linear(dimension=512)(input="x", output="a")
        model |= ml.Relu()(input="a", output="b")
        model |= ml.Linear(dimension=256)(input="b", output="c")
        model |= ml.Relu()(input="c", output="d")
        model |= ml.Linear(dimension=10)(input="d", output="y")
        model.expose_keys("y")
        compiled = ml.compile(model, ml.CpuBackend(), shapes={"x": ["N", 784]}, inference=True)
        written = ml.load_safetensors(folder / "mlp.safetensors")
        names = {"layers.0": "linear", "layers.2": "linear_1", "layers.4": "linear_2"}
        weights = {
            f"{ours}.{kind}": written[f"{theirs}.{kind}"]
            for theirs, ours in names.items()
            for kind in ("weight", "bias")
        }
    else:
        sys.path.insert(0, str(ROOT / "examples" / "models"))
        import bert  # noqa: PLC0415 - in the folder above
        from pretrained import read_weights  # noqa: PLC0415

        model = bert.sentence_encoder(bert.Config(**SIZES))
        compiled = ml.compile(model, ml.CpuBackend(), inference=True)
        weights = read_weights(bert, folder / "minilm")
    return compiled, compiled.load_state_dict(weights)
