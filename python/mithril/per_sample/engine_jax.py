"""Inner products of the gradients of training and validation samples, as a jitted function."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np

from .. import _core
from .._core import raise_error, wrong_argument
from .._internal.arguments import checked
from ..backends.jax import import_jax, module_of
from . import PerSample

__all__ = ["GradDotProdEngineJAX"]


class GradDotProdEngineJAX:
    """Computes what `GradDotProdEngine` logs in JAX: gradients, inner products and losses.

    The graph is written as a JAX module and jitted, once for each combination of sizes. The model
    may be compiled for any backend.

    Args:
        compiled: the compiled model.
        losses: output [B, ...] whose rows are the losses of the samples.
        validation_batch_size: number of validation samples of a step.
        inputs: keys of x and y. None uses the two data keys of the model, in order.
        reduction: as in `PerSample`.
        shared: as in `PerSample`.
        validation_reduction: "sum" or "mean" over the validation samples.

    Raises:
        BackendError: If JAX is not installed.

    Example:
        net = ml.Model()
        net |= ml.Linear(2)(input="x", output="y")
        net |= ml.SquaredError()(input="y", target="target", output="losses")
        shapes = {"x": ["N", 4], "target": ["N", 2]}
        compiled = ml.compile(net, ml.CpuBackend(), data_keys=["x", "target"], shapes=shapes)
        params = compiled.get_parameters()
        engine = ml.GradDotProdEngineJAX(
            compiled, losses="losses", validation_batch_size=8, inputs=["x", "target"]
        )
        x, y = data["x"], data["target"]
        gradient, dots, loss = engine.compute_step(params, x, y, x, y)

    See docs/jax.md.
    """

    @checked
    def __init__(  # noqa: PLR0913 - its options
        self,
        compiled: _core.CompiledModel,
        *,
        losses: str,
        validation_batch_size: int,
        inputs: Sequence[str] | None = None,
        reduction: Literal["sum", "mean"] = "sum",
        shared: Sequence[str] = (),
        validation_reduction: Literal["sum", "mean"] = "sum",
    ) -> None:
        self._jax = import_jax()
        self._samples = PerSample(compiled, losses=losses, reduction=reduction, shared=shared)
        self._compiled = compiled
        self._validation_size = validation_batch_size
        self._validation_reduction = validation_reduction
        keys = list(compiled.data_keys)
        self._inputs = keys if inputs is None else list(inputs)
        if len(self._inputs) != 2 or set(self._inputs) != set(keys):
            wrong_argument(
                "GradDotProdEngineJAX",
                "inputs",
                f"the keys of x and y, which are all data of the model ({', '.join(keys)})",
                inputs,
            )
        self._steps: dict[Any, Callable[..., Any]] = {}
        self.state = dict(compiled.initial_state_dict)

    @checked
    def compute_step(  # noqa: PLR0913 - its arrays
        self,
        params: dict[str, Any],
        x_train: Any,
        y_train: Any,
        x_val: Any,
        y_val: Any,
        *,
        state: dict[str, Any] | None = None,
    ) -> tuple[Any, ...]:
        """Computes the mean gradient, the inner products and the validation loss of a step.

        The call can be traced: a training step that contains it is one function for `jax.jit`.

        Args:
            params: dict of parameters.
            x_train: the first input of B training samples.
            y_train: the second input of B training samples.
            x_val: the first input of the validation samples.
            y_val: the second input of the validation samples.
            state: dict of the state of the model (random keys of dropout). None uses
                `engine.state`, and keeps the next state there.

        Returns:
            Tuple of JAX arrays (mean gradient by key, inner products [B], mean validation loss).
            With `state` the next state is the last item.

        Raises:
            ValueError: If there are not `validation_batch_size` validation samples.
            StateError: If the call is traced, the model has a state, and none is given.

        Example:
            x, y = data["x"], data["target"]
            gradient, dots, loss = engine.compute_step(params, x, y, x, y)
            assert dots.shape == (8,)
        """
        count = np.shape(x_val)[0] if np.ndim(x_val) else 0
        if count != self._validation_size:
            raise_error(
                "ValueError",
                "E0402",
                f"compute_step: there are {count} validation samples, and validation_batch_size "
                f"is {self._validation_size}",
            )
        batches = (x_train, y_train, x_val, y_val)
        if state is None and self.state and self._is_traced((params, batches)):
            raise_error(
                "StateError",
                "E0920",
                "compute_step needs the state of the model, and none was given",
                help="a traced step cannot keep it: compute_step(..., state=state) returns the "
                "next state",
            )
        sizes = tuple(np.shape(batch) for batch in batches)
        with self._jax.enable_x64(True):
            if sizes not in self._steps:
                self._steps[sizes] = self._make(sizes)
            given = self.state if state is None else state
            gradient, dots, loss, following = self._steps[sizes](params, batches, given)
        if state is not None:
            return gradient, dots, loss, dict(following)
        self.state = dict(following)
        return gradient, dots, loss

    def _is_traced(self, arrays: Any) -> bool:
        return any(
            isinstance(leaf, self._jax.core.Tracer) for leaf in self._jax.tree.leaves(arrays)
        )

    def _make(self, sizes: Sequence[tuple[int, ...]]) -> Callable[..., Any]:
        """Returns the jitted step for arrays of these sizes."""
        jnp = self._jax.numpy
        # The core reads the sizes of its examples alone, and elements of traced arrays are unknown.
        examples = [np.zeros(shape, np.bool_) for shape in sizes]
        data, validation = (
            dict(zip(self._inputs, examples[i : i + 2], strict=True)) for i in (0, 2)
        )
        source = self._samples._dots_module(data, validation, self._validation_reduction)
        with self._jax.ensure_compile_time_eval():  # for constants of the module
            model = module_of(source)["model"]
        keys = [*self._inputs, *(f"validation.{key}" for key in self._inputs)]
        frozen = set(self._compiled.frozen_keys)
        parameters = [key for key in self._compiled.parameter_keys if key not in frozen]

        def step(params: Any, given: Any, state: Any) -> Any:
            data = dict(zip(keys, given, strict=True))
            made = model(params, data, state) if state else (model(params, data), {})
            outputs, following = made
            gradient = {key: outputs[f"{key}.gradient"] for key in parameters}
            loss = jnp.mean(outputs["validation_losses"])
            return gradient, outputs["dots"], loss, following

        return self._jax.jit(step)  # type: ignore[no-any-return]

    def __repr__(self) -> str:
        return f"<GradDotProdEngineJAX of {self._compiled!r}>"
