"""Backends compared on one model, node by node."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from .. import _core
from .._core import Backend, Model
from .._internal.arguments import checked
from ..files import save_safetensors

TEST = '''"""{backend} differs from {reference} at {path}, the result of {op}; {nodes} of its nodes.

Written by `mithril verify --reduce`: model.json is the smallest model that failed, and
data.safetensors has its inputs.
"""

from pathlib import Path

import mithril as ml

HERE = Path(__file__).parents[1]


def test_backends_agree() -> None:
    model = ml.Model.from_json((HERE / "model.json").read_text(encoding="utf-8"))
    data = ml.load_safetensors(HERE / "data.safetensors")
    backends = [{backends}]
    found = ml.compare(model, backends, {{}}, data, tolerance={tolerance}, data_keys=list(data))
    assert found.agrees, found
'''


class ReducedFailure(NamedTuple):
    """The part of a graph that fails on its own, as a model, and its inputs."""

    model: Model
    data: dict[str, Any]
    nodes: int


class BackendDifference(NamedTuple):
    """The first value, in the order of the graph, whose results differ."""

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
    """What ml.compare found: a difference for each backend that differs from the first one."""

    backends: list[str]
    nodes: int
    differences: list[BackendDifference]
    text: str

    @property
    def agrees(self) -> bool:
        """Whether no backend differs."""
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
    """Runs a model on several backends and compares value by value, gradients included.

    Each backend computes every node from the values of the first backend, so errors do not add up.
    Then it runs the whole graph, and the comparison covers its outputs and gradients.

    Args:
        model: the model on which to compare.
        backends: the reference first.
        params: as for evaluate.
        data: as for evaluate.
        tolerance: of each element, relative to the largest element of the value; None: 1e-9 for
            float64, 1e-4 for float32. Differences that rounding of the inputs causes are accepted.
        gradients: whether to compare gradients, too.
        seed: of the gradients of the outputs.
        reduce: whether to cut the graph to the smallest one that still fails.
        state: as evaluate returned it; None: the initial one.
        options: of ml.compile.

    Example:
        backends = [ml.CpuBackend(reference=True), ml.CpuBackend()]
        found = ml.compare(model, backends, params, data, shapes={"x": [None, 4]})
        assert found.agrees, found
    """
    compiled = _core.compile(model, backends[0] if backends else None, **options)
    names, nodes, found, text = _core._compare(
        compiled,
        list(backends[1:]),
        dict(params),
        dict(data),
        tolerance,
        gradients,
        seed,
        reduce,
        dict(state or {}),
    )
    differences = []
    for fields in found:
        difference = BackendDifference._make(fields)
        if difference.reduced is not None:
            difference = difference._replace(reduced=ReducedFailure(*difference.reduced))
        differences.append(difference)
    return BackendComparison(names, nodes, differences, text)


def write_reduced(
    folder: Path,
    found: BackendDifference,
    reference: str,
    backends: Sequence[Backend],
    tolerance: float | None,
) -> list[Path]:
    """Writes the reduced failure: the model as JSON, its inputs, and a test."""
    failure = found.reduced
    assert failure is not None
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / name for name in ("model.json", "data.safetensors", "test_reduced.py")]
    paths[0].write_text(failure.model.to_json() + "\n", encoding="utf-8")
    save_safetensors(paths[1], failure.data)
    shown = ", ".join(f"ml.{backend!r}" for backend in backends)
    text = TEST.format(
        backend=found.backend,
        reference=reference,
        path=found.path,
        op=found.op,
        nodes=failure.nodes,
        backends=shown,
        tolerance=tolerance,
    )
    paths[2].write_text(text, encoding="utf-8")
    return paths
