"""Models and helpers of the tests of TorchBackend on a GPU."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

import mithril as ml

needs_cuda = pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")
needs_two = pytest.mark.skipif(torch.cuda.device_count() < 2, reason="there are no two GPUs")


def convolutions() -> ml.Model:
    model = ml.Model()
    model |= ml.Conv2d(filters=8, kernel_size=3, padding=1)(input="x", output="h")
    model |= ml.Relu()(input="h", output="r")
    model |= ml.Conv2d(filters=4, kernel_size=3, stride=2)(input="r", output="y")
    return model


def compiled_for(
    device: str, level: str, model: ml.Model | None = None, dtype: ml.dtype = ml.float64, **options
) -> ml.CompiledModel:
    shapes = {"x": ["N", 3, 9, 9]} if model is None else {}
    backend = ml.TorchBackend(device=device, dtype=dtype, **options)
    return ml.compile(
        model or convolutions(), backend, data_keys=["x"], shapes=shapes, optimization_level=level
    )


def images(count: int, seed: int, device: str, dtype: torch.dtype = torch.float64) -> torch.Tensor:
    data = np.random.default_rng(seed).normal(size=(count, 3, 9, 9))
    return torch.tensor(data, device=device, dtype=dtype)


def counts(compiled: ml.CompiledModel) -> tuple[int, int]:
    """Returns the number of recordings of the forward graph, and the number of replays."""
    found = re.search(r"CUDA graphs: recorded (\d+), replayed (\d+) times", compiled.summary())
    return (int(found[1]), int(found[2])) if found else (0, 0)


def in_a_process(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs code that may leave the GPU unusable."""
    path = os.pathsep.join([*sys.path, str(Path(__file__).parent)])
    return subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        env={**os.environ, "PYTHONPATH": path, **environment},
    )


def deep() -> ml.Model:
    model = ml.Model()
    model |= ml.Linear(256)(input="x")
    for _ in range(8):
        model += ml.Gelu()
        model += ml.Linear(256)
    return model
