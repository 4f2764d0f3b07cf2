"""`mithril verify`: compares backends on a model, value by value."""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from .. import _core
from .._core import Backend
from ..backends import CpuBackend, JaxBackend, TorchBackend
from ..backends.compare import BackendComparison, compare, write_reduced
from ..files import load_safetensors
from .model_file import (
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

DESCRIPTION = "Compare backends on a model, and name the first node where they differ."
BACKENDS: dict[str, Callable[[Any], Backend]] = {
    "reference": lambda dtype: CpuBackend(dtype, reference=True),
    "cpu": CpuBackend,
    "torch": lambda dtype: TorchBackend("cpu", dtype),
    "jax": JaxBackend,
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options; sets `run`."""
    parser.description = f"{DESCRIPTION} The exit status is 1 if they differ."
    parser.add_argument(
        "model",
        help="a model as JSON, as Model.to_json writes it; a package or an ONNX file, with its "
        "weights",
    )
    parser.add_argument(
        "--backends",
        nargs="+",
        choices=list(BACKENDS),
        default=["reference", "cpu"],
        metavar="NAME",
        help=f"{', '.join(BACKENDS)}; the first is the reference",
    )
    parser.add_argument("--dtype", default="float32", choices=["float32", "float64"])
    parser.add_argument(
        "--shape",
        action="append",
        default=[],
        metavar="KEY=SIZES",
        help="the sizes of an input: x=8,4; for every size that the model leaves open",
    )
    add_constant_option(parser)
    parser.add_argument(
        "--params",
        help="a .safetensors file; default: those of the package, or as the layers initialise",
    )
    parser.add_argument(
        "--data", help="a .safetensors file; default: normally distributed, and ints of 0 and 1"
    )
    parser.add_argument("--tolerance", type=float, help="relative to the largest element")
    parser.add_argument("--no-gradients", action="store_true", help="compare the outputs only")
    parser.add_argument("--inference", action="store_true", help="compare in inference mode")
    parser.add_argument("--seed", type=int, default=0, help="of random numbers")
    parser.add_argument(
        "--reduce", metavar="FOLDER", help="cut the graph to the smallest that fails, and write it"
    )
    parser.add_argument("--json", action="store_true", help="write one JSON object")
    parser.set_defaults(run=_run)


def _run(given: argparse.Namespace) -> None:
    dtype = getattr(_core.dtype, given.dtype)
    constants = dict(constant_of(text) for text in given.constant)
    verified = read_model(Path(given.model), constants, dtype)
    model = verified.model
    backends = [BACKENDS[name](dtype) for name in given.backends]
    shapes = shapes_of(given.shape)
    # Constants of an ONNX file are in the model.
    constant_keys = {} if is_onnx(Path(given.model)) else constants
    options = {"inference": given.inference, "data_keys": verified.data_keys}
    compiled = compile_model(model, backends[0], shapes, constant_keys, **options)
    params = verified.params
    if given.params:
        params = load_safetensors(given.params)
    elif params is None:
        params = initial_parameters(compiled, given.seed)
    # A package can have weights that training would not change.
    fixed = {key: params[key] for key in compiled.data_keys if key in params}
    params = {key: array for key, array in params.items() if key not in fixed}
    open_keys = [key for key in compiled.data_keys if key not in fixed]
    data = (
        load_safetensors(given.data) if given.data else random_data(compiled, open_keys, given.seed)
    )
    data = fixed | data
    found = compare(
        model,
        backends,
        params,
        data,
        tolerance=given.tolerance,
        gradients=not given.no_gradients,
        seed=given.seed,
        reduce=given.reduce is not None,
        state=verified.state,
        shapes=shapes,
        constant_keys=constant_keys,
        **options,
    )
    written: list[Path] = []
    if given.reduce is not None and found.differences:
        first = found.differences[0]
        written = write_reduced(
            Path(given.reduce), first, found.backends[0], backends, given.tolerance
        )
    if given.json:
        show(json.dumps(_fields(given.model, found, written), indent=2))
    else:
        lines = [str(found).removesuffix("\n"), *(f"wrote {path}" for path in written)]
        show("\n".join(lines))
    if not found.agrees:
        sys.exit(1)


def _fields(model: str, found: BackendComparison, written: Sequence[Path]) -> dict[str, Any]:
    """Returns the object of --json, as the native command writes it."""
    return {
        "schema": 1,
        "command": "verify",
        "file": model,
        "backends": found.backends,
        "agree": found.agrees,
        "nodes": found.nodes,
        "differences": [
            {
                "path": difference.path,
                "op": difference.op,
                "backend": difference.backend,
                "element": list(difference.worst),
                "expected": _finite(difference.expected_element),
                "got": _finite(difference.got_element),
                "difference": _finite(difference.difference),
                "allowed": _finite(difference.allowed),
                "in_whole_graph": difference.in_whole_graph,
            }
            for difference in found.differences
        ],
        "written": [str(path) for path in written],
    }


def _finite(number: float) -> float | None:
    """Returns None in place of an infinity or a NaN, which JSON lacks."""
    return number if math.isfinite(number) else None
