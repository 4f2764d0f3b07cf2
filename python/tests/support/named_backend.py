"""Backends by name, for tests that run on each of them."""

import importlib.util
from typing import Any

import pytest

import mithril as ml

MADE = {
    "cpu": ml.CpuBackend,
    "reference": lambda: ml.CpuBackend(reference=True),
    "torch": ml.TorchBackend,
    "jax": ml.JaxBackend,
}


def named_backend(name: str) -> Any:
    """The backend. Skips the test if the backend needs a package that is not installed."""
    if name in ("torch", "jax") and importlib.util.find_spec(name) is None:
        pytest.skip(f"{name} is not installed")
    return MADE[name]()
