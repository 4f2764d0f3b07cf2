"""The ONNX files of published packages, and inputs for them."""

import json
from pathlib import Path
from typing import Any

import numpy as np

FILES = json.loads(Path(__file__).with_name("real_files.json").read_text(encoding="utf-8"))


def inputs_of(row: dict[str, Any]) -> dict[str, Any]:
    """The arrays of a row, in its order: constants, ints of a range, or scaled normal floats."""
    random = np.random.default_rng(0)
    made: dict[str, Any] = {}
    for name, spec in row["inputs"].items():
        if "value" in spec:
            made[name] = np.array(spec["value"], np.int64)
        elif "range" in spec:
            made[name] = random.integers(*spec["range"], spec["shape"]).astype(spec["dtype"])
        else:
            drawn = random.standard_normal(spec["shape"]) * spec.get("scale", 1)
            made[name] = drawn.astype(np.float32)
    return made
