"""Files of models, and arguments about them, of commands that run in Python."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .. import _core
from .._core import CompiledModel, Model, raise_error
from ..onnx import from_onnx
from ..packages.file_kinds import JSON_MODEL, LOAD, contents_of, kind_of_path
from ..packages.package import load_package


def initial_parameters(compiled: CompiledModel, seed: int) -> dict[str, Any]:
    """The parameters that the layers initialise. ShapeError E0209 names an option."""
    try:
        return compiled.get_parameters(seed)
    except _core.ShapeError as error:
        if error.code != "E0209":
            raise
        facts = [(label, text) for label, text, _ in error.facts]
        key = next(iter(compiled.data_keys), "x")
        help = f"state the sizes of inputs: --shape {key}=8,4"
        raise_error("ShapeError", error.code, error.message, facts=facts, help=help)


class ReadModel(NamedTuple):
    """A model and what was saved with it."""

    model: Model
    params: dict[str, Any] | None = None
    state: dict[str, Any] | None = None
    data_keys: Sequence[str] = ()


def is_onnx(path: Path) -> bool:
    """Whether the path is an ONNX file, not a package."""
    return path.suffix == ".onnx" and path.is_file()


def read_model(path: Path, constants: dict[str, Any], dtype: Any) -> ReadModel:
    """Reads a model as JSON, a package or an ONNX file, in which it fixes the constants."""
    if is_onnx(path):
        model, params, _ = from_onnx(path, constants, dtype=dtype)
        return ReadModel(model, params)
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
        return ReadModel(_read_json(path))
    package = load_package(path)
    keys = [port.name for port in package.info.inputs]
    return ReadModel(package.model, package.params, package.state, keys)


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


class StatedError(Exception):
    """An error of Mithril about what the call states, such as the sizes of --shape."""


def compile_model(
    model: Model,
    backend: Any,
    shapes: dict[str, list[int]],
    constants: dict[str, Any],
    **options: Any,
) -> CompiledModel:
    """Compiles a model. StatedError for sizes and constants of the call that it does not take."""
    try:
        return _core.compile(model, backend, shapes=shapes, constant_keys=constants, **options)
    except _core.Error as error:
        is_memory = error.code == "E1102"  # that of this machine
        if is_memory or not (shapes or constants) or not _compiles(model, backend, options):
            raise
        raise StatedError(str(error)) from None


def _compiles(model: Model, backend: Any, options: dict[str, Any]) -> bool:
    try:
        _core.compile(model, backend, **options)
    except _core.Error:
        return False
    return True


def add_constant_option(parser: argparse.ArgumentParser) -> None:
    """Adds --constant, whose values `constant_of` reads."""
    parser.add_argument(
        "--constant",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="fix an input to a number, true or false",
    )


def shapes_of(arguments: Sequence[str]) -> dict[str, list[int]]:
    """Reads the arguments of --shape, such as x=8,4."""
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


def constant_of(argument: str) -> tuple[str, Any]:
    """Reads an argument of --constant, such as sr=16000."""
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


def random_data(compiled: CompiledModel, keys: Sequence[str], seed: int) -> dict[str, Any]:
    """Normally distributed floats, and ints of 0 and 1."""
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
        if name == "bool" or name.startswith(("int", "uint")):
            data[key] = rng.integers(0, 2, sizes).astype(name)
        elif name in ("float16", "float64"):
            data[key] = rng.standard_normal(sizes).astype(name)
        else:  # NumPy has no bfloat16; evaluate converts float32
            data[key] = rng.standard_normal(sizes).astype("float32")
    return data
