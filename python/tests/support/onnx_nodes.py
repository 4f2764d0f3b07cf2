"""Runs nodes of ONNX on the CPU backend, in float64 by default."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx_bytes as ob

import mithril as ml


def read(
    folder: Path,
    nodes: bytes | list[bytes],
    data: dict[str, np.ndarray],
    outputs: str = "y",
    **options: Any,
) -> ml.OnnxModel:
    """The model of a file with these nodes and inputs.

    Options besides those of `from_onnx`: `known`, the initializers; `opset`; `sizes`, the sizes
    that the file states in place of those of `data`; `domain`, a second domain, of version 1.
    """
    known, opset = options.pop("known", None), options.pop("opset", 25)
    stated, domain = options.pop("sizes", {}), options.pop("domain", None)
    inputs = [
        ob.value(name, stated.get(name, list(x.shape)), x.dtype.name) for name, x in data.items()
    ]
    named = [nodes] if isinstance(nodes, bytes) else nodes
    file = ob.file(named, inputs, [ob.field(1, name) for name in outputs.split()], known, opset)
    if domain:
        file += ob.field(8, ob.field(1, domain) + ob.field(2, 1))
    path = folder / "net.onnx"
    path.write_bytes(file)
    return ml.from_onnx(path, **{"dtype": "float64", **options})


def run(
    folder: Path,
    nodes: bytes | list[bytes],
    data: dict[str, np.ndarray],
    outputs: str = "y",
    **options: Any,
) -> list[np.ndarray]:
    """The outputs of the nodes; options as in `read`."""
    net = read(folder, nodes, data, outputs, **options)
    backend = ml.CpuBackend(dtype=options.get("dtype", "float64"))
    compiled = ml.compile(net.model, backend, inference=True)
    results = compiled.evaluate(net.params, {key: data[key] for key in compiled.data_keys})
    return [np.asarray(results[name]) for name in outputs.split()]


def gradients(
    folder: Path, nodes: bytes | list[bytes], data: dict[str, np.ndarray], **options: Any
) -> dict[str, np.ndarray]:
    """The gradients of the sum of y with respect to the parameters."""
    net = read(folder, nodes, data, **options)
    compiled = ml.compile(net.model, ml.CpuBackend(dtype="float64"))
    shape = np.asarray(compiled.evaluate(net.params, data)["y"]).shape
    _, made = compiled.evaluate(net.params, data, output_gradients={"y": np.ones(shape)})
    return {key: np.asarray(each) for key, each in made.items()}


def refusal(
    folder: Path, nodes: bytes | list[bytes], data: dict[str, np.ndarray], **options: Any
) -> str:
    """The reason why the first node is refused, with its op and opset."""
    try:
        read(folder, nodes, data, **options)
    except ml.ValueError as error:
        return str(error).splitlines()[1].partition(" : ")[2]
    message = "the file was read"
    raise AssertionError(message)
