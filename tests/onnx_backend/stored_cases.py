"""The tests of the onnx package that it stores as files: converted models of PyTorch, small models
and architectures of image classifiers, whose weights their files compute."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import ModelProto, OptionalProto, SequenceProto, TensorProto
from onnx.backend.test.loader import load_model_tests
from onnx.numpy_helper import to_array, to_list, to_optional

KINDS = ("pytorch-converted", "pytorch-operator", "simple", "real")
PACKAGE = Path(onnx.__file__).parents[1]


@dataclass
class StoredCase:
    name: str
    model: ModelProto
    data_sets: list[tuple[list[Any], list[Any]]]
    rtol: float
    atol: float


def value_of(path: Path, kind: onnx.TypeProto) -> Any:
    """The value of a file, which has the type of the input or output that it belongs to."""
    content = path.read_bytes()
    if kind.HasField("sequence_type"):
        return to_list(SequenceProto.FromString(content))
    if kind.HasField("optional_type"):
        return to_optional(OptionalProto.FromString(content))
    return to_array(TensorProto.FromString(content))


def values_of(folder: Path, prefix: str, ports: Any) -> list[Any]:
    paths = [folder / f"{prefix}_{i}.pb" for i in range(len(list(folder.glob(f"{prefix}_*.pb"))))]
    return [value_of(path, port.type) for path, port in zip(paths, ports, strict=False)]


def steps(port: Any) -> Any:
    """The input for which the package stores the output of an architecture."""
    shape = [dim.dim_value or 1 for dim in port.type.tensor_type.shape.dim]
    count = int(np.prod(shape))
    return (np.arange(count).reshape(shape) / count).astype(np.float32)


def of_architecture(case: Any) -> StoredCase:
    path = PACKAGE / case.url
    model = onnx.load(path)
    initialized = {tensor.name for tensor in model.graph.initializer}
    inputs = [steps(port) for port in model.graph.input if port.name not in initialized]
    outputs = values_of(path.parent, f"{path.stem}_output", model.graph.output)
    return StoredCase(case.name, model, [(inputs, outputs)], case.rtol, case.atol)


def of_folder(case: Any) -> StoredCase:
    folder = Path(case.model_dir)
    model = onnx.load(folder / "model.onnx")
    data_sets = [
        (values_of(each, "input", model.graph.input), values_of(each, "output", model.graph.output))
        for each in sorted(folder.glob("test_data_set*"))
    ]
    return StoredCase(case.name, model, data_sets, case.rtol, case.atol)


def stored_cases() -> list[StoredCase]:
    cases = [case for kind in KINDS for case in load_model_tests(kind=kind)]
    cases.sort(key=lambda case: case.name)
    return [of_architecture(case) if case.url else of_folder(case) for case in cases]
