"""Models as ONNX files."""

from __future__ import annotations

import importlib
import importlib.util
import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, overload

from .. import _core
from .._core import CompiledModel, InputError, TrainingStep, raise_error
from .._internal.arguments import checked_kinds

__all__ = ["to_onnx"]


@overload
def to_onnx(
    compiled: CompiledModel,
    file: str | os.PathLike[str],
    params: Mapping[str, Any] | None = None,
    *,
    state: Mapping[str, Any] | None = None,
    opset: int = 20,
    external_data: bool = False,
    gradients: bool = False,
    functions: bool = False,
    data: Mapping[str, Any] | None = None,
    check: bool = True,
) -> None: ...


@overload
def to_onnx(
    compiled: TrainingStep,
    file: str | os.PathLike[str],
    params: Mapping[str, Any],
    *,
    opset: int = 20,
    external_data: bool = False,
    functions: bool = False,
    data: Mapping[str, Any] | None = None,
    check: bool = True,
) -> dict[str, Any]: ...


@checked_kinds
def to_onnx(
    compiled: CompiledModel | TrainingStep,
    file: str | os.PathLike[str],
    params: Mapping[str, Any] | None = None,
    *,
    state: Mapping[str, Any] | None = None,
    opset: int = 20,
    external_data: bool = False,
    gradients: bool = False,
    functions: bool = False,
    data: Mapping[str, Any] | None = None,
    check: bool = True,
) -> dict[str, Any] | None:
    """Writes a compiled model or a training step as an ONNX file, and checks the file.

    A model is written in inference mode, or with gradients.

    Inputs, outputs and parameters keep their names, and sizes that compiling left open stay
    symbolic. A state that inference changes is an input, and an output of its name with "_next".
    Each node has the path of its value as metadata "mithril.path". The file is written as a whole
    or not at all. It is checked before it replaces an older one: by the checker of the onnx
    package, and by ONNX Runtime, each if it is installed. ONNX Runtime loads the file and, with
    `data`, runs it and compares the outputs with those of Mithril. If they differ only because
    rounding has grown, and each node agrees, a warning says so. A warning also says if it has no
    kernels for the dtypes of the file, which is common for float64.

    The file of a `TrainingStep` has the outputs of the model before the update, and the next values
    of the parameters, the states, the slots of the optimizer ("fc1.weight.exp_avg") and the number
    of "steps", each with the name of its input and "_next". Frozen parameters are initializers. A
    learning rate that a schedule changes is the input "lr", float64.

    Args:
        compiled: the compiled model, or the training step.
        file: the path of the file.
        params: the parameters. A model that `bind` made has none.
        state: what inference reads, such as running statistics.
        opset: the opset of ONNX, from 13 to 25.
        external_data: whether the elements of tensors of 1 KiB and more are in the file
            "net.onnx.data" beside "net.onnx". Files above 2 GB are always written so.
        gradients: whether the file also has an output "KEY.grad" for each parameter that is not
            frozen. The outputs are then those of training mode. The gradient that comes in is 1 for
            `final_cost` of a `TrainModel`. For other models the file has an input "OUTPUT.grad" for
            each output that has a gradient.
        functions: whether the nodes of each outermost part are a function of the domain
            "mithril.parts", which the graph calls. Parts of equal structure share one. Parts with
            loops or branches stay in the graph.
        data: inputs with which ONNX Runtime runs the file.
        check: whether to check the file.

    Returns:
        For a training step, the dict of the present values of its inputs other than the data. None
        for a model.

    Raises:
        StateError: If parameters or states are missing, or do not fit.
        GradientError: If `gradients` is set and the model was compiled for inference.
        ValueError: If the opset cannot express nodes of the model (the error lists all of them with
            their reasons), or is not from 13 to 25. The checker or ONNX Runtime refuses the file,
            or a node has other results there; the error names the first such node. For a
            training step: `state` or `gradients` are given, it accumulates gradients, its
            parameters have moved different numbers of times, no graph computes the learning rates
            of its optimizer, or two values of the file have one name.
        InputError: If the file cannot be written, or `data` has other keys than the model has
            inputs.
        BackendError: If the model was compiled for a group of several processes.

    Example:
        ml.to_onnx(compiled, "net.onnx", params, data=data)
        values = ml.to_onnx(step, "step.onnx", params)

    See docs/onnx.md, "Export".
    """
    path = os.fspath(file)
    export: _Export | _StepExport
    if isinstance(compiled, TrainingStep):
        if state is not None or gradients:
            message = "a training step has its own state, and its file has no gradients"
            advice = "leave `state` and `gradients` out, or write step.compiled"
            raise_error("ValueError", "E1371", message, help=advice)
        export = _StepExport(compiled, dict(params or {}), opset, functions)
    else:
        weights = dict(params or {}), dict(state or {})
        export = _Export(compiled, weights, opset, gradients, functions)
    if data is not None:
        export.check_keys(data)
    programs = [module for module in ("onnx.checker", "onnxruntime") if check and _has(module)]
    folder = os.path.dirname(path) or "."
    if programs and os.path.isdir(folder):
        with _temporary_folder(folder, path) as temporary, _errors_that_name(path):
            made = os.path.join(temporary, "model.onnx")
            export.write(made, external_data)
            if "onnx.checker" in programs:
                _check(path, made)
            if "onnxruntime" in programs:
                from .comparison import Comparison  # noqa: PLC0415 - NumPy is slow to import

                Comparison(export, path, temporary).run(made, data)
    return export.write(path, external_data)


def _temporary_folder(folder: str, path: str) -> tempfile.TemporaryDirectory[str]:
    try:
        return tempfile.TemporaryDirectory(prefix=".to_onnx-", dir=folder)
    except OSError as error:
        facts = [("why", os.strerror(error.errno or 0))]
        raise_error("InputError", "E0831", "the file cannot be written", path=path, facts=facts)


@contextmanager
def _errors_that_name(path: str) -> Iterator[None]:
    """Errors that a temporary file cannot be written name the file that it becomes."""
    facts = None
    try:
        yield
    except InputError as error:
        if error.code != "E0831":
            raise
        facts = [(name, value) for name, value, _ in error.facts]
    if facts is not None:
        raise_error("InputError", "E0831", "the file cannot be written", path=path, facts=facts)


def _has(module: str) -> bool:
    parent = module.partition(".")[0]
    return importlib.util.find_spec(parent) is not None and (
        parent == module or importlib.util.find_spec(module) is not None
    )


class _Export:
    def __init__(
        self,
        compiled: CompiledModel,
        weights: tuple[dict[str, Any], dict[str, Any]],
        opset: int,
        gradients: bool,
        functions: bool,
    ) -> None:
        self.compiled, self.opset = compiled, opset
        self.params, self.state = weights
        self.gradients, self.functions = gradients, functions

    def check_keys(self, data: Mapping[str, Any]) -> None:
        needed = set(self.compiled.data_keys)
        if self.gradients:
            needed.update(_core._onnx_gradient_inputs(self.compiled))
        _check_keys(data, needed, needed | set(self.compiled.initial_state_dict))

    def given(self, data: Mapping[str, Any]) -> dict[str, Any]:
        """The inputs of the file. States that it has as inputs have their values."""
        return {**self.compiled.initial_state_dict, **self.state, **data}

    def write(self, path: str, external_data: bool = False, all_values: bool = False) -> None:
        _core._write_onnx(
            self.compiled,
            path,
            self.params,
            self.state,
            self.opset,
            external_data,
            self.gradients,
            self.functions,
            all_values,
        )

    def outputs(self, data: Mapping[str, Any]) -> dict[str, Any] | None:
        """What the model computes in inference mode; None for other files, and with new states."""
        if self.gradients or set(data) != set(self.compiled.data_keys):
            return None
        if self.compiled.in_inference()._changes_state:
            return None
        return self.compiled.infer(self.params, dict(data), self.state)

    def reference(self, data: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
        """Every value of the file, as the reference computes it, in the order of the nodes.

        Nodes read `values` in place of the results of other nodes.
        """
        return _core._onnx_reference(
            self.compiled, dict(data), self.params, self.state, self.gradients, dict(values)
        )


class _StepExport:
    def __init__(
        self, step: TrainingStep, params: dict[str, Any], opset: int, functions: bool
    ) -> None:
        self.step, self.params, self.opset, self.functions = step, params, opset, functions
        self.values: dict[str, Any] = {}

    def check_keys(self, data: Mapping[str, Any]) -> None:
        needed = set(self.step.compiled.data_keys)
        _check_keys(data, needed, needed)

    def given(self, data: Mapping[str, Any]) -> dict[str, Any]:
        return {**self.values, **data}

    def write(
        self, path: str, external_data: bool = False, all_values: bool = False
    ) -> dict[str, Any]:
        self.values = _core._write_onnx_step(
            self.step, path, self.params, self.opset, external_data, self.functions, all_values
        )
        return self.values

    def outputs(self, data: Mapping[str, Any]) -> None:
        return None

    def reference(self, data: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
        return _core._onnx_step_reference(self.step, dict(data), self.params, dict(values))


def _check_keys(data: Mapping[str, Any], needed: set[str], known: set[str]) -> None:
    facts = {"missing": sorted(needed - set(data)), "unknown": sorted(set(data) - known)}
    found = [(kind, ", ".join(keys)) for kind, keys in facts.items() if keys]
    if found:
        message = "to_onnx: data has other keys than the model has inputs"
        raise_error("InputError", "E1325", message, facts=found)


def _check(path: str, made: str) -> None:
    checker = importlib.import_module("onnx.checker")
    inference = importlib.import_module("onnx.shape_inference")
    try:
        checker.check_model(made, full_check=True)
    except (checker.ValidationError, inference.InferenceError) as error:
        message = "the checker of the onnx package refuses the file"
        raise_error("ValueError", "E1322", message, path=path, facts=[("reason", str(error))])
