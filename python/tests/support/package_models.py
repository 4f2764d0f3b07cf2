"""Small packages for tests."""

from pathlib import Path
from typing import Any

import numpy as np

import mithril as ml


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
