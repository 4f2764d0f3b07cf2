"""Comparison of backends whose floats have different dtypes, by outputs and gradients."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from .. import _core
from .._core import Backend, CompiledModel
from .._internal.arrays import as_array

Values = dict[str, Any]
EPSILONS = {"float64": 2.0**-52, "float32": 2.0**-23, "float16": 2.0**-10, "bfloat16": 2.0**-7}
MARGIN = 4  # accepted differences, as a multiple of the effect of rounding the inputs


class Floats(NamedTuple):
    """The dtype of the floats of a backend, and that of its mixed precision or None."""

    dtype: str
    mixed: str | None

    @property
    def epsilon(self) -> float:
        """The distance from 1 to the next larger number in the coarser dtype."""
        return max(EPSILONS[self.dtype], EPSILONS[self.mixed or self.dtype])


def floats_of(backend: Any) -> Floats | None:
    """Returns the floats of a backend of this package, and None for anything else."""
    options = getattr(backend, "_options", None)
    if not isinstance(backend, Backend) or options is None:
        return None
    mixed = None
    if options.get("use_amp"):
        on_cpu = options.get("device", "cpu") == "cpu"
        mixed = _name(options.get("amp_dtype") or ("bfloat16" if on_cpu else "float16"))
    return Floats(_name(backend.zeros(0).dtype), mixed)  # type: ignore[attr-defined]


def _name(dtype: Any) -> str:
    return str(getattr(dtype, "name", dtype)).rsplit(".", maxsplit=1)[-1]


class Inputs(NamedTuple):
    """The inputs that both backends evaluate."""

    params: Mapping[str, Any]
    data: Mapping[str, Any]
    state: Mapping[str, Any]
    gradients: Mapping[str, Any]  # of the outputs

    def rounded(self, epsilon: float, seed: int) -> Inputs:
        """Returns the inputs with each float changed by a factor of 1 + epsilon or 1 - epsilon."""
        random = np.random.default_rng(seed)

        def changed(value: Any) -> Any:
            array = array_of(value)
            if array.dtype.kind != "f":
                return value
            signs = random.choice([-1.0, 1.0], array.shape)
            return (array * (1 + epsilon * signs)).astype(array.dtype)

        params, data, gradients = (
            {key: changed(value) for key, value in values.items()}
            for values in (self.params, self.data, self.gradients)
        )
        return Inputs(params, data, self.state, gradients)


class Mismatch(NamedTuple):
    """The worst element of a value, and the difference that was allowed."""

    path: str
    expected: Any
    got: Any
    worst: tuple[int, ...]
    difference: float
    allowed: float


def array_of(value: Any) -> Any:
    """Returns a value as a NumPy array; bfloat16, which NumPy lacks, as float32."""
    if isinstance(value, _core.Tensor) and value.dtype == _core.dtype.bfloat16:
        return value.astype("float32").numpy()
    return as_array(value)


def values_of(compiled: CompiledModel, inputs: Inputs) -> Values:
    """Returns outputs by key, and gradients under the keys of parameters with ".grad"."""
    more: dict[str, Any] = {"state": dict(inputs.state)} if inputs.state else {}
    params, data = dict(inputs.params), dict(inputs.data)
    if not inputs.gradients:
        outputs = compiled.evaluate(params, data, **more)
        outputs = outputs[0] if inputs.state else outputs
        return {key: array_of(value) for key, value in outputs.items()}
    outputs, gradients, *_ = compiled.evaluate(
        params, data, output_gradients=dict(inputs.gradients), **more
    )
    values = {key: array_of(value) for key, value in outputs.items()}
    return values | {f"{key}.grad": array_of(value) for key, value in gradients.items()}


def with_gradients(compiled: CompiledModel, inputs: Inputs, seed: int) -> Inputs:
    """Returns the inputs with gradients of all outputs that have one, drawn from the seed."""
    if not compiled.parameter_keys:
        return inputs
    random = np.random.default_rng(seed)
    chosen: dict[str, Any] = {}
    for key, value in values_of(compiled, inputs).items():
        if value.dtype.kind != "f":
            continue
        drawn = {key: random.standard_normal(value.shape).astype(np.float32)}
        try:
            values_of(compiled, inputs._replace(gradients=drawn))
        except _core.GradientError:
            continue  # an op before this output has no gradient
        chosen |= drawn
    return inputs._replace(gradients=chosen)


def differences_of(got: Any, expected: Any) -> Any:
    """Returns the difference of each element. Equal infinities and two NaN do not differ."""
    one, other = got.astype(np.float64), expected.astype(np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        apart = np.abs(one - other)
    same = (got == expected) | (np.isnan(one) & np.isnan(other))
    return np.where(same, 0, np.where(np.isnan(apart), math.inf, apart))


def scale_of(value: Any) -> float:
    """Returns the largest finite magnitude, or 1 if all elements are 0."""
    magnitudes = np.abs(value.astype(np.float64))
    finite = magnitudes[np.isfinite(magnitudes)]
    return float(finite.max(initial=0)) or 1.0


def mismatch(path: str, expected: Any, got: Any, tolerance: float, effect: Any) -> Mismatch | None:
    """Returns the worst element if it differs by more than the tolerance and rounding allow.

    Args:
        path: name of the value.
        expected: array of the reference.
        got: array of the other backend.
        tolerance: allowed difference, relative to the largest element.
        effect: differences that rounding of the inputs causes.
    """
    if got.shape != expected.shape:
        return Mismatch(path, expected, got, (), math.inf, 0.0)
    finite = effect[np.isfinite(effect)]
    relative = tolerance * scale_of(expected) if expected.dtype.kind == "f" else 0.0
    allowed = max(relative, MARGIN * float(finite.max(initial=0)))
    apart = differences_of(got, expected)
    if apart.size == 0 or apart.max() <= allowed:
        return None
    worst = tuple(map(int, np.unravel_index(apart.argmax(), apart.shape)))
    return Mismatch(path, expected, got, worst, float(apart[worst]), allowed)


class Reference:
    """The results of the first backend, to which others are compared."""

    def __init__(self, compiled: CompiledModel, inputs: Inputs, floats: Floats, seed: int) -> None:
        self.compiled, self.inputs, self.floats, self.seed = compiled, inputs, floats, seed
        self.values = values_of(compiled, inputs)

    def mismatch(
        self, other: CompiledModel, floats: Floats, tolerance: float | None
    ) -> Mismatch | None:
        """Returns the first value for which the other backend differs, outputs first."""
        got = values_of(other, self.inputs)
        epsilon = max(self.floats.epsilon, floats.epsilon)
        allowed = math.sqrt(epsilon) if tolerance is None else tolerance
        # The finer backend adds little rounding of its own to that of the inputs.
        is_finer = self.floats.epsilon <= floats.epsilon
        finer, plain = (self.compiled, self.values) if is_finer else (other, got)
        changed = values_of(finer, self.inputs.rounded(epsilon, self.seed))
        for path, expected in self.values.items():
            effect = differences_of(changed[path], plain[path])
            found = mismatch(path, expected, got[path], allowed, effect)
            if found is not None:
                return found
        return None
