"""Comparison of backends on one model, node by node."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from .. import _core
from .._core import Backend, CompiledModel, Model
from .._internal.arguments import checked
from ..files import save_safetensors
from .compare_floats import Floats, Inputs, Reference, floats_of, with_gradients


class ReducedFailure(NamedTuple):
    """The smallest part of a graph that still fails, as a model, with its inputs."""

    model: Model
    data: dict[str, Any]
    nodes: int


class BackendDifference(NamedTuple):
    """The first value of the graph for which a backend differs from the reference.

    `path` and `op` name the value. `expected` and `got` are the arrays of the reference and of the
    backend. `worst` is the index of the element with the largest difference: its values are
    `expected_element` and `got_element`, and `allowed` is the difference that was allowed.
    `in_whole_graph` is whether the value differs only when the whole graph runs. `reduced` is the
    smallest part that still fails, if `ml.compare` got `reduce=True`.

    Example:
        backends = [ml.CpuBackend(reference=True), ml.CpuBackend()]
        params = {"weight": np.ones((2, 4), np.float32), "bias": np.zeros(2, np.float32)}
        found = ml.compare(model, backends, params, {"x": data["x"]}, shapes={"x": [None, 4]})
        for difference in found.differences:
            print(difference.path, difference.difference)

    See docs/several-backends.md.
    """

    path: str
    op: str
    backend: str
    expected: Any
    got: Any
    worst: tuple[int, ...]
    expected_element: float
    got_element: float
    difference: float
    allowed: float
    in_whole_graph: bool
    reduced: ReducedFailure | None


class BackendComparison(NamedTuple):
    """The result of `ml.compare`.

    `differences` has a BackendDifference for each backend that differs from the first one. `nodes`
    is the number of nodes that were compared, or of outputs and gradients if the floats of all
    other backends differ from those of the first one. `text` describes the result.

    Example:
        backends = [ml.CpuBackend(reference=True), ml.CpuBackend()]
        params = {"weight": np.ones((2, 4), np.float32), "bias": np.zeros(2, np.float32)}
        found = ml.compare(model, backends, params, {"x": data["x"]}, shapes={"x": [None, 4]})
        print(found.nodes, found.text)

    See docs/several-backends.md.
    """

    backends: list[str]
    nodes: int
    differences: list[BackendDifference]
    text: str

    @property
    def agrees(self) -> bool:
        """Whether no backend differs from the first one."""
        return not self.differences

    def __str__(self) -> str:
        return self.text


@checked
def compare(
    model: Model,
    backends: Sequence[Backend],
    params: Mapping[str, Any],
    data: Mapping[str, Any],
    *,
    tolerance: float | None = None,
    gradients: bool = True,
    seed: int = 0,
    reduce: bool = False,
    state: Mapping[str, Any] | None = None,
    **options: Any,
) -> BackendComparison:
    """Runs a model on several backends and compares all values, gradients included.

    Each backend computes every node from the values of the first backend, so errors do not add up.
    Then it runs the whole graph, and outputs and gradients are compared.

    A backend whose floats have another dtype than those of the first one, or another mixed
    precision, is compared only by outputs and gradients. The default tolerance is then
    sqrt(max(eps of the first, eps of the other)), where eps is the distance from 1 to the next
    larger number in the coarsest dtype in which the backend computes: 3.5e-4 for float32, 3.1e-2
    for float16 and 8.8e-2 for bfloat16. Differences up to 4 times the effect of changing each float
    of the inputs by a factor of 1 + eps or 1 - eps are accepted, too.

    Args:
        model: the model to run.
        backends: the backends. The first one is the reference.
        params: {key: array}, as for `evaluate`.
        data: {key: array}, as for `evaluate`.
        tolerance: the allowed difference of an element, relative to the largest element of the
            value. None: 1e-9 for float64, 1e-4 for float32, 4e-3 for float16, 3e-2 for bfloat16.
            Differences that rounding of the inputs causes are accepted.
        gradients: whether to compare gradients, too.
        seed: the seed of the gradients of the outputs.
        reduce: whether to reduce the graph to the smallest one that still fails, for backends with
            the same floats.
        state: the state, as `evaluate` returned it. None: the initial state.
        options: options of `ml.compile`.

    Raises:
        ValueError: If there are fewer than two backends.
        BackendError: With `reduce`, if the floats of a backend have another dtype.

    Example:
        backends = [ml.CpuBackend(reference=True), ml.CpuBackend()]
        params = {"weight": np.ones((2, 4), np.float32), "bias": np.zeros(2, np.float32)}
        found = ml.compare(model, backends, params, {"x": data["x"]}, shapes={"x": [None, 4]})
        assert found.agrees, found

    See docs/several-backends.md.
    """
    compiled = _core.compile(model, backends[0] if backends else None, **options)
    own = floats_of(backends[0]) if backends else None
    mixed = {
        i: floats
        for i, backend in enumerate(backends[1:], 1)
        if not reduce and own and (floats := floats_of(backend)) and floats != own
    }
    alike = [backend for i, backend in enumerate(backends) if i > 0 and i not in mixed]
    names, nodes, found, text = [_name_of(compiled.backend)], 0, [], ""
    if alike or not mixed:
        names, nodes, found, text = _core._compare(
            compiled,
            alike,
            dict(params),
            dict(data),
            tolerance,
            gradients,
            seed,
            reduce,
            dict(state or {}),
            [*names, *map(_name_of, alike)],
        )
    differences = []
    for fields in found:
        difference = BackendDifference._make(fields)
        if difference.reduced is not None:
            difference = difference._replace(reduced=ReducedFailure(*difference.reduced))
        differences.append(difference)
    compared = BackendComparison(names, nodes, differences, text)
    if not mixed or own is None:
        return compared
    inputs = Inputs(params, data, state or compiled.initial_state_dict, {})
    if gradients and not options.get("inference"):
        inputs = with_gradients(compiled, inputs, seed)
    reference = Reference(compiled, inputs, own, seed)
    for i, floats in mixed.items():
        other = _core.compile(model, backends[i], **options)
        compared = _with_mixed(compared, reference, other, floats, tolerance)
    return compared


def _name_of(backend: Backend) -> str:
    is_reference = getattr(backend, "_options", {}).get("reference", False)
    return "reference" if is_reference else backend.name


def _with_mixed(
    compared: BackendComparison,
    reference: Reference,
    other: CompiledModel,
    floats: Floats,
    tolerance: float | None,
) -> BackendComparison:
    """Returns the comparison with one more backend, whose floats differ."""
    first, name = compared.backends[0], _name_of(other.backend)
    names, nodes = [*compared.backends, name], max(compared.nodes, len(reference.values))
    found = reference.mismatch(other, floats, tolerance)
    if found is None:
        text = f"{first}, {name} agree on {len(reference.values)} outputs and gradients\n"
        return BackendComparison(names, nodes, compared.differences, compared.text + text)
    expected, got = (
        float(array[found.worst]) if array[found.worst].ndim == 0 else math.nan
        for array in (found.expected, found.got)
    )
    difference = BackendDifference(
        found.path,
        "the whole model",
        name,
        found.expected,
        found.got,
        found.worst,
        expected,
        got,
        found.difference,
        found.allowed,
        True,
        None,
    )
    shape = ", ".join(map(str, found.expected.shape))
    text = (
        f"{name} differs from {first} at {found.path}, a result of the whole model\n"
        f"  worst element : {list(found.worst)} of {found.expected.dtype}[{shape}]\n"
        f"  expected      : {expected:.6g}\n"
        f"  got           : {got:.6g}\n"
        f"  difference    : {found.difference:.3g}, allowed {found.allowed:.3g}\n"
    )
    return BackendComparison(
        names, nodes, [*compared.differences, difference], compared.text + text
    )


def write_reduced(
    folder: Path,
    found: BackendDifference,
    reference: str,
    backends: Sequence[Backend],
    tolerance: float | None,
) -> list[Path]:
    """Writes a reduced failure to a folder: the model as JSON, its inputs, and a test.

    Raises:
        InputError: If the folder cannot be made or written.
    """
    failure = found.reduced
    assert failure is not None
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        why = [("why", error.strerror or str(error))]
        _core.raise_error(
            "InputError", "E0831", "the file cannot be written", path=str(folder), facts=why
        )
    paths = [folder / name for name in ("model.json", "data.safetensors", "test_reduced.py")]
    _core._write_file(paths[0], [(failure.model.to_json() + "\n").encode()])
    save_safetensors(paths[1], failure.data)
    shown = ", ".join(f"ml.{backend!r}" for backend in backends)
    text = _core._reduced_test(
        found.backend, reference, found.path, found.op, failure.nodes, shown, repr(tolerance)
    )
    _core._write_file(paths[2], [text.encode()])
    return paths
