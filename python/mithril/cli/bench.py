"""`mithril bench --backend torch` and `jax`: how long a model takes on a backend of Python."""

from __future__ import annotations

import argparse
import importlib
import json
import resource
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .. import _core
from .._core import Backend, ShapeError, raise_error
from ..backends import CpuBackend, JaxBackend, TorchBackend
from ..files import load_safetensors
from .model_file import (
    ReadModel,
    add_constant_option,
    compile_model,
    constant_of,
    initial_parameters,
    is_onnx,
    random_data,
    read_model,
    shapes_of,
)
from .output import show
from .text_table import scaled, table_text

DESCRIPTION = "Time a model on a backend of Python, in inference mode."
SECONDS, LEAST_RUNS, MOST_RUNS = 2.0, 5, 10000
DTYPES = ["float32", "float64", "float16", "bfloat16"]
HEADER = [
    *("shapes", "median ms", "p90", "p99", "min", "max", "runs"),
    *("operations", "memory", "compile ms", "first ms"),
]


def _torch_backend(dtype: Any, threads: int) -> Backend:
    backend = TorchBackend("cpu", dtype)
    if threads:
        importlib.import_module("torch").set_num_threads(threads)
    return backend


def _jax_backend(dtype: Any, threads: int) -> Backend:
    if threads:
        raise_error("ValueError", "E0439", "--threads is not for the backend jax")
    return JaxBackend(dtype)


BACKENDS: dict[str, Callable[[Any, int], Backend]] = {
    "cpu": lambda dtype, threads: CpuBackend(dtype, threads=threads),
    "torch": _torch_backend,
    "jax": _jax_backend,
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options; sets `run`."""
    parser.description = DESCRIPTION
    parser.add_argument("model", help="a model as JSON, a package, or an ONNX file")
    parser.add_argument("--backend", choices=list(BACKENDS), default="cpu")
    parser.add_argument(
        "--shape",
        action="append",
        default=[],
        metavar="KEY=SIZES",
        help="the sizes of an input; several sizes of one input are timed one after the other",
    )
    add_constant_option(parser)
    parser.add_argument("--params", help="a .safetensors file of parameters")
    parser.add_argument("--dtype", default="float32", choices=DTYPES)
    parser.add_argument("--threads", type=_count, default=0, help="the most threads")
    parser.add_argument("--seed", type=int, default=0, help="of random numbers")
    parser.add_argument("--runs", type=_count, help="timed runs of each shape")
    parser.add_argument("--format", default="text", choices=["text", "markdown", "csv"])
    parser.add_argument("--json", action="store_true", help="write one JSON object")
    parser.set_defaults(run=_run)


def _count(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError(text)
    return number


def _run(given: argparse.Namespace) -> None:
    dtype = getattr(_core.dtype, given.dtype)
    constants = dict(constant_of(text) for text in given.constant)
    begin = time.perf_counter()
    read = read_model(Path(given.model), constants, dtype)
    load = _milliseconds(begin)
    # Constants of an ONNX file are in the model.
    fixed = {} if is_onnx(Path(given.model)) else constants
    backend = BACKENDS[given.backend](dtype, given.threads)
    timings = [_time(read, backend, shapes, fixed, given) for shapes in _shape_sets(given.shape)]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    if given.json:
        fields = {"schema": 1, "command": "bench", "file": given.model, "backend": given.backend}
        fields |= {"load_ms": load, "peak_bytes": peak, "timings": timings}
        show(json.dumps(fields, indent=2))
        return
    text = table_text([HEADER, *(_row(timing) for timing in timings)], given.format)
    if given.format == "text":
        text += f"\n\nloaded in {load:.4g} ms; peak memory of the process {peak / 2**20:.1f} MiB"
    show(text)


def _shape_sets(texts: Sequence[str]) -> list[list[str]]:
    """The sets of shapes to time. Set i has the i-th shape of each key, or its only one."""
    by_key: dict[str, list[str]] = {}
    for text in texts:
        by_key.setdefault(text.partition("=")[0], []).append(text)
    sets = max(map(len, by_key.values()), default=1)
    for key, shapes in by_key.items():
        if len(shapes) not in (1, sets):
            raise_error(
                "ValueError",
                "E0439",
                f"--shape gives '{key}' {len(shapes)} times, and another input {sets} times",
                help="give each input once, or as often as the others",
            )
    return [
        [shapes[i] if len(shapes) > 1 else shapes[0] for shapes in by_key.values()]
        for i in range(sets)
    ]


def _time(
    read: ReadModel,
    backend: Backend,
    shapes: Sequence[str],
    constants: dict[str, Any],
    given: argparse.Namespace,
) -> dict[str, Any]:
    sizes = shapes_of(shapes)
    begin = time.perf_counter()
    compiled = compile_model(
        read.model, backend, sizes, constants, inference=True, data_keys=read.data_keys
    )
    params = load_safetensors(given.params) if given.params else read.params
    if params is None:
        params = initial_parameters(compiled, given.seed)
    bound = compiled.bind(params, read.state)
    compile_ms = _milliseconds(begin)
    data = random_data(bound, list(bound.data_keys), given.seed)

    def evaluate() -> float:
        begin = time.perf_counter()
        for value in bound.evaluate({}, data).values():
            np.asarray(value)  # waits for the result
        return _milliseconds(begin)

    first = evaluate()
    times: list[float] = []
    start = time.perf_counter()
    while len(times) < (given.runs or MOST_RUNS):
        is_late = time.perf_counter() - start >= SECONDS and len(times) >= LEAST_RUNS
        if is_late and not given.runs:
            break
        times.append(evaluate())
    times.sort()
    try:
        cost = read.model.cost(sizes)
    except ShapeError:  # only the parameters state some sizes
        cost = {"operations": 0, "bytes": 0}
    return {
        "shapes": " ".join(shapes),
        "compile_ms": compile_ms,
        "first_ms": first,
        "median_ms": _percentile(times, 0.5),
        "p90_ms": _percentile(times, 0.9),
        "p99_ms": _percentile(times, 0.99),
        "min_ms": times[0],
        "max_ms": times[-1],
        "runs": len(times),
        "operations": cost["operations"],
        "bytes": cost["bytes"],
    }


def _milliseconds(begin: float) -> float:
    return 1e3 * (time.perf_counter() - begin)


def _percentile(ordered: Sequence[float], share: float) -> float:
    return ordered[int(share * (len(ordered) - 1) + 0.5)]


def _row(timing: dict[str, Any]) -> list[str]:
    seconds = timing["median_ms"] / 1e3

    def rate(name: str, unit: str) -> str:
        return scaled(timing[name] / seconds, unit) if timing["operations"] else "?"

    keys = ["median_ms", "p90_ms", "p99_ms", "min_ms", "max_ms"]
    return [
        timing["shapes"] or "as stated",
        *(f"{timing[key]:.4g}" for key in keys),
        f"{timing['runs']:,}",
        rate("operations", "op/s"),
        rate("bytes", "B/s"),
        f"{timing['compile_ms']:.4g}",
        f"{timing['first_ms']:.4g}",
    ]
