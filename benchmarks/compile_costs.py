"""Times to compose and to compile models whose size is an argument, for each target.

    python benchmarks/compile_costs.py [--targets cpu jax] [--cases avg_pool gru]

A row has the seconds at a size and at four times the size, and the power of the size with which
they grow: 1 is linear. A power above 1.5 at more than a second is marked: look there first.
"""

from __future__ import annotations

import argparse
import importlib.util
import math
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import mithril as ml

FACTOR = 4


@dataclass(frozen=True)
class Case:
    """A model of a size, the shapes of its inputs, and a size to begin with."""

    make: Callable[[int], ml.Model]
    shapes: Callable[[int], dict[str, list[int]]]
    size: int


def plain(
    make: Callable[[int], ml.Model], *dims: int | None, size: int, name: str = "input"
) -> Case:
    """Returns a case whose input has the given dims; None stands for the size."""
    return Case(make, lambda n: {name: [n if dim is None else dim for dim in dims]}, size)


def unrolled(cell: str, shared: bool) -> Callable[[int], ml.Model]:
    """Makes a model that calls a recurrent cell once per step. With `shared` all steps use the
    weights of the first."""

    def make(steps: int) -> ml.Model:
        model = ml.Model()
        weights: dict[str, Any] = {}
        for step in range(steps):
            part = getattr(ml, cell)()
            own = [
                key for key in part.input_keys if key not in ("input", "prev_hidden", "prev_cell")
            ]
            weights = {key: f"shared_{key}" for key in own} if shared else {}
            ports = {"input": "x", "prev_hidden": f"h{step}", "hidden": f"h{step + 1}", **weights}
            if cell == "LSTMCell":
                ports |= {"prev_cell": f"c{step}", "cell": f"c{step + 1}"}
            model |= part(**ports)
        return model

    return make


def deep(layer: Callable[[], ml.Model]) -> Callable[[int], ml.Model]:
    def make(count: int) -> ml.Model:
        model = ml.Model()
        for _ in range(count):
            model += layer()
        return model

    return make


def joined(count: int) -> ml.Model:
    model = ml.Model()
    model |= ml.Concat()(input=[f"x{i}" for i in range(count)], output="output")
    return model


def cell_shapes(*more: str) -> Callable[[int], dict[str, list[int]]]:
    return lambda _: {"x": [2, 1, 8], **{key: [2, 1, 16] for key in ("h0", *more)}}


CASES: dict[str, Case] = {
    "avg_pool": plain(lambda n: ml.AvgPool2D(n, stride=1), 1, 4, 128, 128, size=12),
    "max_pool": plain(lambda n: ml.MaxPool2D(n, stride=1), 1, 4, 128, 128, size=12),
    "adaptive_avg_pool": plain(ml.AdaptiveAvgPool2D, 1, 4, 60, 60, size=7),
    "adaptive_max_pool": plain(ml.AdaptiveMaxPool2D, 1, 4, 60, 60, size=7),
    "unfold": plain(ml.Unfold, 1, 4, 64, 64, size=6),
    "conv": plain(lambda n: ml.Conv2d(n, filters=4), 1, 4, 64, 64, size=6),
    "conv3d": plain(lambda n: ml.Conv3d(n, filters=4), 1, 2, 20, 20, 20, size=3),
    "mlp": plain(deep(lambda: ml.Layer("Relu", dimension=8)), 2, 8, size=50),
    "batch_norm": plain(deep(ml.BatchNorm2D), 2, 3, 4, 4, size=25),
    "attention": plain(deep(lambda: ml.TransformerBlock(num_heads=2)), 2, 4, 8, size=6),
    "gru": Case(unrolled("GRUCell", shared=False), cell_shapes(), 25),
    "gru_shared": Case(unrolled("GRUCell", shared=True), cell_shapes(), 25),
    "lstm_shared": Case(unrolled("LSTMCell", shared=True), cell_shapes("c0"), 25),
    "concat": Case(joined, lambda n: {f"x{i}": [2, 2] for i in range(n)}, 50),
}


def on_backend(backend: Callable[[], Any], gradients: bool) -> Callable[[ml.Model, Any], None]:
    def run(model: ml.Model, shapes: Any) -> None:
        compiled = ml.compile(
            model, backend(), shapes=shapes, data_keys=list(shapes), inference=not gradients
        )
        params, state = compiled.get_parameters(), compiled.initial_state_dict
        data = {key: np.ones(shape, np.float32) for key, shape in shapes.items()}
        if not gradients:
            compiled.infer(params, data, state)
            return
        last = compiled.output_keys[-1]
        shape = np.shape(compiled.infer(params, data, state)[last])
        ones = {last: np.ones(shape, np.float32)}
        compiled.evaluate(params, data, output_gradients=ones, state=state)

    return run


def as_source(ending: str) -> Callable[[ml.Model, Any], None]:
    def run(model: ml.Model, shapes: Any) -> None:
        compiled = ml.compile(model, ml.CpuBackend(), shapes=shapes, data_keys=list(shapes))
        with tempfile.TemporaryDirectory() as folder:
            ml.codegen(compiled, str(Path(folder) / f"model{ending}"))

    return run


TARGETS: dict[str, Callable[[ml.Model, Any], None]] = {
    "cpu": on_backend(ml.CpuBackend, gradients=False),
    "cpu gradients": on_backend(ml.CpuBackend, gradients=True),
    "c++": as_source(".cpp"),
}
if importlib.util.find_spec("jax"):
    TARGETS["jax"] = on_backend(ml.JaxBackend, gradients=False)
    TARGETS["jax gradients"] = on_backend(ml.JaxBackend, gradients=True)
if importlib.util.find_spec("torch"):
    TARGETS["torch"] = on_backend(ml.TorchBackend, gradients=False)


def seconds(work: Callable[[], Any]) -> tuple[float, Any]:
    begin = time.perf_counter()
    made = work()
    return time.perf_counter() - begin, made


def measured(case: Case, size: int, target: str | None) -> float:
    taken, model = seconds(lambda: case.make(size))
    if target is None:
        return taken
    return seconds(lambda: TARGETS[target](model, case.shapes(size)))[0]


def row(name: str, target: str | None) -> str:
    case = CASES[name]
    try:
        measured(case, 2, target)  # imports, and caches of the process
        small, large = (measured(case, size, target) for size in (case.size, FACTOR * case.size))
    except ml.Error as error:
        return f"{name:20} {target or 'compose':14} {str(error).splitlines()[0]}"
    power = math.log(large / small, FACTOR)
    mark = "  <--" if power > 1.5 and large > 1 else ""
    sizes = f"{case.size} -> {FACTOR * case.size}"
    head = f"{name:20} {target or 'compose':14} {sizes:>12}"
    return f"{head} {small:8.3f} {large:8.3f} {power:6.2f}{mark}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--targets", nargs="*", choices=TARGETS, default=list(TARGETS))
    parser.add_argument("--cases", nargs="*", choices=CASES, default=list(CASES))
    chosen = parser.parse_args()
    print(f"{'case':20} {'target':14} {'size':>12} {'seconds':>8} {'at 4x':>8} {'power':>6}")
    for name in chosen.cases:
        for target in (None, *chosen.targets):
            print(row(name, target), flush=True)


if __name__ == "__main__":
    main()
