"""The backend interface of the onnx package: `import mithril.onnx_backend`. Imports onnx."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto
from onnx.backend.base import Backend as OnnxBackend
from onnx.backend.base import BackendRep
from onnx.backend.test.runner import BackendIsNotSupposedToImplementIt
from onnx.helper import tensor_dtype_to_np_dtype

from . import _core
from .backends.cpu import CpuBackend
from .onnx import OnnxModel, from_onnx

__all__ = ["Backend", "PreparedModel", "prepare", "run_model", "supports_device"]

MOST_CONSTANT = 64  # elements of an input of floats that is fixed


class PreparedModel(BackendRep):
    """A model of ONNX that is compiled when it is run.

    Shapes, axes and counts may be inputs in ONNX. Inputs that have to be known are fixed to the
    values of the run, and the compiled models are kept by these values. `fixed` names them.
    Sequences are lists, and a model is compiled for their lengths. An optional without an element
    is None.
    """

    def __init__(self, model: onnx.ModelProto) -> None:
        """Keeps the bytes of the model."""
        self._bytes = model.SerializeToString()
        initialized = {tensor.name for tensor in model.graph.initializer}
        self._inputs = [value for value in model.graph.input if value.name not in initialized]
        self._outputs = list(model.graph.output)
        self._dtype = "float64" if has_doubles(model) else "float32"
        self._compiled: dict[Any, Any] = {}
        self.fixed: list[str] = []

    def run(self, inputs: Any, **kwargs: Any) -> tuple[Any, ...]:
        """Returns the outputs for inputs in the order of the graph, or by name."""
        named = inputs if isinstance(inputs, dict) else self._by_name(inputs)
        given, lengths = elements(named)
        refused = None
        for fixed in choices(given):
            key = (
                tuple(lengths.items()),
                tuple(
                    (name, given[name].dtype.str, given[name].shape, given[name].tobytes())
                    for name in sorted(fixed)
                ),
            )
            try:
                if key not in self._compiled:
                    constants = {name: given[name] for name in fixed}
                    self._compiled[key] = self._compile(constants, lengths)
            except (_core.ValueError, _core.TypeError) as error:
                if error.code not in ("E1311", "E1313", "E1361", "E1365"):
                    raise
                refused = refused or error
                continue
            self.fixed = sorted(fixed)
            compiled, read = self._compiled[key]
            return self._evaluated(compiled, read, given)
        raise BackendIsNotSupposedToImplementIt(str(refused))

    def _by_name(self, inputs: Any) -> dict[str, Any]:
        return {spec.name: value for spec, value in zip(self._inputs, inputs, strict=False)}

    def _compile(self, constants: dict[str, Any], lengths: dict[str, int | None]) -> Any:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "model.onnx")
            path.write_bytes(self._bytes)
            read = from_onnx(path, constants, lengths=lengths, dtype=self._dtype)
            backend = CpuBackend(dtype=self._dtype)
            return _core.compile(read.model, backend, inference=True), read

    def _evaluated(self, compiled: Any, read: OnnxModel, given: Any) -> tuple[Any, ...]:
        data = {key: given[read.renamed.get(key, key)] for key in compiled.data_keys}
        results = compiled.evaluate(read.params, data)
        ports = {read.renamed.get(port, port): results[port] for port in results}
        for name, axis in read.counts.items():
            places = np.arange(int(ports[f"{name}.count"]))
            ports[name] = np.take(np.asarray(ports[name]), places, axis)
        return tuple(self._output(spec, ports, read.lengths) for spec in self._outputs)

    def _output(self, spec: Any, ports: dict[str, Any], lengths: dict[str, int | None]) -> Any:
        """A tensor, or a list of the elements of a sequence, or None."""
        name, tensor = spec.name, tensor_type_of(spec.type)
        if name not in lengths:
            return self._result(name, tensor, ports[name])
        length = lengths[name]
        if length is None:
            return None
        parts = [f"{name}.{i}" for i in range(length)]
        return [self._result(part, tensor, ports[part]) for part in parts]

    def _result(self, name: str, tensor: Any, result: Any) -> Any:
        wanted = tensor_dtype_to_np_dtype(tensor.elem_type)
        if wanted.name == "bfloat16":
            return np.asarray(result).astype(wanted)
        array = np.asarray(result)
        if array.dtype != wanted:
            message = f"output {name} has the dtype {array.dtype}, and the file states {wanted}"
            raise TypeError(message)
        return array


def tensor_type_of(stated: Any) -> Any:
    """The type of a tensor, or of the elements of a sequence or an optional."""
    kind = stated.WhichOneof("value")
    if kind in ("sequence_type", "optional_type"):
        return tensor_type_of(getattr(stated, kind).elem_type)
    return stated.tensor_type


def has_doubles(model: onnx.ModelProto) -> bool:
    graph = model.graph
    stated = [tensor_type_of(value.type).elem_type for value in [*graph.input, *graph.output]]
    return TensorProto.DOUBLE in stated


def as_array(name: str, value: Any) -> Any:
    """Returns the array of an input. Strings are refused."""
    if not isinstance(value, np.ndarray | np.generic) or value.dtype.kind in "OSU":
        raise BackendIsNotSupposedToImplementIt(f"the input {name} is not a tensor of numbers")
    return np.asarray(value)


def elements(named: dict[str, Any]) -> tuple[dict[str, Any], dict[str, int | None]]:
    """The tensors of the inputs, with the elements of sequences, and the lengths of sequences."""
    given: dict[str, Any] = {}
    lengths: dict[str, int | None] = {}
    for name, value in named.items():
        if value is None:
            lengths[name] = None
        elif isinstance(value, list):
            lengths[name] = len(value)
            for i, each in enumerate(value):
                given[f"{name}.{i}"] = as_array(f"{name}.{i}", each)
        else:
            given[name] = as_array(name, value)
    return given, lengths


def choices(given: dict[str, Any]) -> list[list[str]]:
    """Which inputs to fix, from none to all."""
    ints = [name for name, value in given.items() if value.dtype.kind in "iub" and value.ndim < 2]
    small = [
        name for name, value in given.items() if value.size <= MOST_CONSTANT and value.ndim < 2
    ]
    made: list[list[str]] = [[]]
    for chosen in (ints, [*ints, *(name for name in small if name not in ints)], list(given)):
        if chosen not in made:
            made.append(chosen)
    return made


class Backend(OnnxBackend):
    """What `onnx.backend.test.BackendTest` and users of the interface call. Runs on the CPU.

    Example:
        import onnx
        from mithril.onnx_backend import Backend

        outputs = Backend.run_model(onnx.load("net.onnx"), [image])

    See docs/onnx.md.
    """

    @classmethod
    def prepare(cls, model: onnx.ModelProto, device: str = "CPU", **kwargs: Any) -> PreparedModel:
        """Returns the model, which is compiled for the values of its first run."""
        return PreparedModel(model)

    @classmethod
    def supports_device(cls, device: str) -> bool:
        """Whether the device is the CPU."""
        return device.partition(":")[0] == "CPU"


prepare = Backend.prepare
run_model = Backend.run_model
supports_device = Backend.supports_device
