"""The mean gradient of a batch, with the bits of training without per-sample gradients."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core

if TYPE_CHECKING:
    from .._stubs.types import Arrays


class MeanGradients:
    """Computes by `evaluate` the gradients of the mean of the losses of samples."""

    def __init__(self, compiled: _core.CompiledModel, losses: str, of_means: bool) -> None:
        self._compiled, self._losses, self._of_means = compiled, losses, of_means
        self._shapes: dict[Any, tuple[int, ...]] = {}  # of the losses, by the sizes of the data

    def __call__(
        self, params: Arrays, data: Arrays, state: Arrays, count: int
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Returns the gradients of `count` samples, and the next state."""
        shape = self._shape_of_losses(params, data, state, count)
        terms = max(int(np.prod(shape)) if self._of_means else count, 1)
        backend: Any = self._compiled.backend
        # NumPy has no bfloat16: the CPU backend casts, as do several backends.
        casts = backend.name == "cpu" or not hasattr(backend, "full")
        seeds = np.full(shape, 1 / terms) if casts else backend.full(*shape, value=1 / terms)
        incoming = {self._losses: seeds}
        if not state:
            return self._compiled.evaluate(params, data, output_gradients=incoming)[1], {}
        _, gradients, next_state = self._compiled.evaluate(
            params, data, output_gradients=incoming, state=state
        )
        return gradients, next_state

    def _shape_of_losses(
        self, params: Arrays, data: Arrays, state: Arrays, count: int
    ) -> tuple[int, ...]:
        known = self._compiled.shapes.get(self._losses)
        if known and all(isinstance(size, int) for size in known[1:]):
            return (count, *(size for size in known[1:] if isinstance(size, int)))
        sizes = tuple((key, np.shape(value)) for key, value in data.items())
        if sizes not in self._shapes:
            outputs: Any = (
                self._compiled.evaluate(params, data, state=state)[0]
                if state
                else self._compiled.evaluate(params, data)
            )
            self._shapes[sizes] = tuple(outputs[self._losses].shape)
        return self._shapes[sizes]
