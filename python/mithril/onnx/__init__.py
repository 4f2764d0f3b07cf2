"""ONNX files as models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from types import EllipsisType
from typing import Any, NamedTuple

from .. import _core
from .._core import Model, wrong_argument
from .._internal.arguments import checked

__all__ = ["OnnxModel", "from_onnx"]


class _OnnxModelFields(NamedTuple):
    model: Model
    params: dict[str, Any]
    renamed: dict[str, str]


class OnnxModel(_OnnxModelFields):
    """A model of an ONNX file: `model, params, renamed = ml.from_onnx(path)`.

    `renamed` has the ports that have another name than in the file: the port, and that name.
    `metadata`, which is no element of the tuple, has what the exporter noted in the file, such as
    the labels of classes.

    Example:
        net = ml.from_onnx("net.onnx")
        print(net.model.input_keys, net.renamed)

    See docs/onnx.md.
    """

    metadata: dict[str, str]


@checked
def from_onnx(
    file: str | PathLike[str],
    constants: Mapping[str, Any] | None = None,
    shapes: Mapping[str, Sequence[int | str | EllipsisType | None]] | None = None,
    *,
    dtype: _core.dtype | str = "float32",
) -> OnnxModel:
    """Converts an ONNX file to a model and returns the model and its parameters.

    Inputs, outputs and parameters have the names of the file. Initializers of floats are parameters
    and share their elements with the mapped file. Inputs are data. What the file computes from
    known values is computed here: shapes, and the conditions of `If`. Named sizes stay symbolic.
    The onnx package is not needed.

    Args:
        file: The path of the file. Its external data is in the same folder.
        constants: Inputs that have this value in the model, such as {"sr": 16000}. They are no
            inputs of the model.
        shapes: Sizes of inputs in place of those in the file: {"x": [None, 3, 224, 224]}. An int, a
            name, or None for any size.
        dtype: The dtype of the backend that the model will be compiled for. Tensors of the file
            that are "float64" or "float32", but not of this dtype, keep theirs.
    Returns:
        A tuple (model, params, renamed), where renamed has the ports that have another name than in
        the file. Its attribute `metadata` is the metadata of the file.
    Raises:
        InputError: The file, or its external data, cannot be read.
        ParseError: The file is damaged, or not an ONNX file.
        ValueError: Nodes cannot be imported (the error lists all of them with their reasons), or
            the file is for a newer opset.
        NameError: `constants` or `shapes` names no input.

    Example:
        model, params, _ = ml.from_onnx("net.onnx", shapes={"x": ["N", 3, 224, 224]})
        compiled = ml.compile(model, ml.CpuBackend())
        outputs = compiled.evaluate(params, {"x": image})

    See docs/onnx.md.
    """
    for name, given in (("constants", constants), ("shapes", shapes)):
        if given is not None and not isinstance(given, Mapping):
            wrong_argument("from_onnx", name, "a dict or None", given)
    read = _core._read_onnx(file, dict(constants or {}), dict(shapes or {}), dtype)
    made = OnnxModel(*read[:3])
    made.metadata = read[3]
    return made
