"""Which tests of loops are in the sample."""

import itertools
from pathlib import Path

import pytest


def _on_jax(item: pytest.Item) -> bool:
    parameters = item.callspec.params.values() if hasattr(item, "callspec") else ()
    return any(value in ("jax", "JaxBackend") for value in parameters if isinstance(value, str))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks as slow two of three cases on JAX, which compiles a model with loops for up to
    seconds."""
    here = Path(__file__).parent
    cases = (item for item in items if item.path.parent == here and _on_jax(item))
    for number, item in zip(itertools.cycle(range(3)), cases, strict=False):
        if number:
            item.add_marker("slow")
