"""Exporting loops and choices without torch's derivatives of them."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch

from .registry import CONTROL

AUTOGRAD = torch._C.DispatchKey.Autograd


@contextmanager
def loops_without_gradients() -> Iterator[None]:
    """Keeps torch from differentiating loops and choices that this thread exports. Torch would
    refuse loops that carry ints or bools, although the exported program has no derivatives."""
    thread = threading.get_ident()
    kept = {operator: operator.py_kernels[AUTOGRAD] for operator in CONTROL}

    def without_gradients(operator: Any) -> Any:
        def run(*args: Any, **kwargs: Any) -> Any:
            if threading.get_ident() != thread:
                return kept[operator](*args, **kwargs)
            with torch._C._AutoDispatchBelowAutograd():
                return operator(*args, **kwargs)

        return run

    set_kernels({operator: without_gradients(operator) for operator in CONTROL})
    try:
        yield
    finally:
        set_kernels(kept)


def set_kernels(kernels: dict[Any, Any]) -> None:
    for operator, kernel in kernels.items():
        operator.py_kernels[AUTOGRAD] = kernel
        operator._dispatch_cache.clear()
