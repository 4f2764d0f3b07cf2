"""`mithril verify`: compares backends on a model, value by value."""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .. import _core
from .._core import Backend, CompiledModel, Model, raise_error
from ..backends import CpuBackend, JaxBackend, TorchBackend
from ..backends.compare import BackendComparison, compare, write_reduced
from ..files import load_safetensors
from ..onnx import from_onnx
from ..packages.file_kinds import JSON_MODEL, LOAD, contents_of, kind_of_path
from ..packages.package import load_package
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
    parser.add_argument(
        "--constant",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="fix an input to a number, true or false",
    )
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
    constants = dict(_constant(text) for text in given.constant)
    verified = _read(Path(given.model), constants, dtype)
    model = verified.model
    backends = [BACKENDS[name](dtype) for name in given.backends]
    options = {
        "shapes": _shapes(given.shape),
        "inference": given.inference,
        "data_keys": verified.data_keys,
        # Constants of an ONNX file are in the model.
        "constant_keys": {} if _is_onnx(Path(given.model)) else constants,
    }
    compiled = _core.compile(model, backends[0], **options)
    params = verified.params
    if given.params:
        params = load_safetensors(given.params)
    elif params is None:
        params = _initial(compiled, given.seed)
    # A package can have weights that training would not change.
    fixed = {key: params[key] for key in compiled.data_keys if key in params}
    params = {key: array for key, array in params.items() if key not in fixed}
    open_keys = [key for key in compiled.data_keys if key not in fixed]
    data = (
        load_safetensors(given.data)
        if given.data
        else _random_data(compiled, open_keys, given.seed)
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


def _initial(compiled: CompiledModel, seed: int) -> dict[str, Any]:
    try:
        return compiled.get_parameters(seed)
    except _core.ShapeError as error:
        if error.code != "E0209":
            raise
        facts = [(label, text) for label, text, _ in error.facts]
        key = next(iter(compiled.data_keys), "x")
        help = f"state the sizes of inputs: --shape {key}=8,4"
        raise_error("ShapeError", error.code, error.message, facts=facts, help=help)


class _Verified(NamedTuple):
    """A model and what was saved with it."""

    model: Model
    params: dict[str, Any] | None = None
    state: dict[str, Any] | None = None
    data_keys: Sequence[str] = ()


def _is_onnx(path: Path) -> bool:
    return path.suffix == ".onnx" and path.is_file()


def _read(path: Path, constants: dict[str, Any], dtype: Any) -> _Verified:
    if _is_onnx(path):
        model, params, _ = from_onnx(path, constants, dtype=dtype)
        return _Verified(model, params)
    if path.is_file() and path.suffix != ".zip":
        kind = kind_of_path(path)
        if kind != JSON_MODEL and kind.text not in ("JSON", "a text"):
            raise_error(
                "InputError",
                "E0860",
                "this is not a model as JSON, a package or an ONNX file",
                path=str(path),
                facts=[("it is", kind.text)],
                help="--params takes the weights of a model"
                if kind.advice == LOAD
                else kind.advice,
            )
        return _Verified(_read_json(path))
    package = load_package(path)
    keys = [port.name for port in package.info.inputs]
    return _Verified(package.model, package.params, package.state, keys)


def _read_json(path: Path) -> Model:
    """Reads a model. The error of a text names the place in it, and here its file."""
    try:
        return Model.from_json((contents_of(path) or b"").decode())
    except UnicodeDecodeError as error:
        facts = [("file", str(path)), ("at", f"byte {error.start}")]
        raise_error("ParseError", "E0725", "the text is not UTF-8", facts=facts)
    except _core.Error as error:
        facts = [("file", str(path)), *((label, text) for label, text, _ in error.facts)]
        raise_error(
            type(error).__name__,
            error.code,
            error.message,
            path=error.path,
            facts=facts,
            help=error.help,
        )


def _shapes(arguments: list[str]) -> dict[str, list[int]]:
    shapes = {}
    for argument in arguments:
        key, _, sizes = argument.partition("=")
        try:
            shapes[key] = [int(size) for size in sizes.split(",") if size]
        except ValueError:
            raise_error(
                "ValueError",
                "E0439",
                f"--shape is '{argument}', expected KEY=SIZES",
                help="write the sizes with commas: x=8,4",
            )
    return shapes


def _constant(argument: str) -> tuple[str, Any]:
    key, _, text = argument.partition("=")
    if text in ("true", "false"):
        return key, text == "true"
    for read in (int, float):
        try:
            return key, read(text)
        except ValueError:
            continue
    raise_error(
        "ValueError",
        "E0439",
        f"--constant is '{argument}', expected KEY=VALUE",
        help="the value is a number, true or false",
    )


def _random_data(compiled: CompiledModel, keys: Sequence[str], seed: int) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    dtypes = _core._data_dtypes(compiled)
    data: dict[str, Any] = {}
    for key in keys:
        shape = compiled.shapes.get(key)
        sizes = [size for size in shape or [] if isinstance(size, int)]
        if shape is None or len(sizes) < len(shape):
            raise_error(
                "InputError",
                "E0876",
                f"the sizes of '{key}' are not known",
                help=f"state them: --shape {key}=8,4",
            )
        name = dtypes[key].name
        whole = name in ("bool", "int32", "int64")
        made = rng.integers(0, 2, sizes) if whole else rng.standard_normal(sizes)
        data[key] = made.astype(name)
    return data
