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

    `renamed` maps ports to their names in the file, where these differ. `metadata`, which is not an
    element of the tuple, has what the exporter noted in the file, such as the labels of classes.
    `lengths` has the number of elements of each output that is a sequence, and None for an optional
    output without an element. `counts` has the axis of each output whose size depends on data: the
    output "y" has room for the maximum number of elements, and the output "y.count" says how many
    there are. The elements after them are undefined.

    Example:
        net = ml.from_onnx("net.onnx")
        print(net.model.input_keys, net.renamed)

    See docs/onnx.md.
    """

    metadata: dict[str, str]
    lengths: dict[str, int | None]
    counts: dict[str, int]


@checked
def from_onnx(
    file: str | PathLike[str],
    constants: Mapping[str, Any] | None = None,
    shapes: Mapping[str, Sequence[int | str | EllipsisType | None]] | None = None,
    *,
    lengths: Mapping[str, int | None] | None = None,
    dtype: _core.dtype | str = "float32",
) -> OnnxModel:
    """Converts an ONNX file to a model and returns the model and its parameters.

    Inputs, outputs and parameters have the names of the file. Initializers of floats are parameters
    and share their elements with the mapped file. Inputs are data. What the file computes from
    known values is computed here: shapes, and the conditions of `If`. Named sizes stay symbolic.
    The onnx package is not needed.

    Args:
        file: the path of the file. Its external data is in the same folder.
        constants: inputs that have this value in the model, such as {"sr": 16000}. They are not
            inputs of the model.
        shapes: sizes of inputs in place of those in the file: {"x": [None, 3, 224, 224]}. An int, a
            name, or None for any size.
        lengths: the number of elements of each input that is a sequence: {"x": 3}. The elements are
            the inputs "x.0", "x.1" and "x.2". None for an optional input without an element.
        dtype: the dtype of the backend that the model will be compiled for. Tensors of the file
            that are "float64" or "float32", but not of this dtype, keep theirs.

    Returns:
        A tuple (model, params, renamed), where renamed has the ports that have another name than in
        the file. Its attribute `metadata` is the metadata of the file. The elements of an output
        `y` that is a sequence are the outputs "y.0", "y.1" and so on; the attribute `lengths` has
        their number. The attribute `counts` has the outputs whose size depends on data.

    Raises:
        InputError: If the file, or its external data, cannot be read.
        ParseError: If the file is damaged, or not an ONNX file.
        ValueError: If nodes cannot be imported (the error lists all of them with their reasons), or
            the file is for a newer opset, or a constant or a length does not fit its input.
        NameError: If `constants`, `shapes` or `lengths` names no input.

    Example:
        model, params, _ = ml.from_onnx("net.onnx", shapes={"x": ["N", 3, 224, 224]})
        compiled = ml.compile(model, ml.CpuBackend())
        outputs = compiled.evaluate(params, {"x": image})

    See docs/onnx.md.
    """
    options = (("constants", constants), ("shapes", shapes), ("lengths", lengths))
    for name, given in options:
        if given is not None and not isinstance(given, Mapping):
            wrong_argument("from_onnx", name, "a dict or None", given)
    for key, length in (lengths or {}).items():
        if length is not None and not isinstance(length, int):
            wrong_argument("from_onnx", f"lengths[{key!r}]", "an int or None", length)
    read = _core._read_onnx(
        file, dict(constants or {}), dict(shapes or {}), dict(lengths or {}), dtype
    )
    made = OnnxModel(*read[:3])
    made.metadata, made.lengths, made.counts = read[3:]
    return made
