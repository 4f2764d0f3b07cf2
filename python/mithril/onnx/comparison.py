"""The check of a written file by ONNX Runtime."""

from __future__ import annotations

import importlib
import os
import re
import warnings
from typing import Any, NoReturn, Protocol

import numpy as np

from .._core import raise_error
from .._internal.arrays import as_array
from .differences import Difference, Values, bounds_of_nodes, first_difference, moved
from .message_fields import add_outputs, node_outputs

__all__ = ["Comparison"]

NOT_IN_NUMPY = re.compile(r"tensor\((bfloat16|float8\w+|float4\w+|u?int[42])\)")
# ONNX Runtime computes float16 in float32, and its graph has the unrounded values by these names.
FREE_CAST = "InsertedPrecisionFreeCast_"


class Export(Protocol):
    """Writes a file, and computes what is in it."""

    def given(self, data: Values) -> dict[str, Any]: ...

    def write(self, path: str, external_data: bool = False, all_values: bool = False) -> object: ...

    def outputs(self, data: Values) -> dict[str, Any] | None: ...

    def reference(self, data: Values, values: Values) -> dict[str, Any]: ...


class Comparison:
    """Runs a file in ONNX Runtime, and compares its results with those of Mithril."""

    def __init__(self, export: Export, path: str, folder: str) -> None:
        self.export, self.path, self.folder = export, path, folder

    def run(self, made: str, data: Values | None) -> None:
        results = self.results(made, data)
        if data is None or results is None:
            return
        outputs = self.export.outputs(data)
        if outputs is not None and outputs.keys() == results.keys():
            computed = {key: as_array(value) for key, value in outputs.items()}
            if first_difference(results, computed) is None:
                return
        expected = self.export.reference(data, {})
        found = first_difference(results, expected)
        if found is None:
            return
        self.check_nodes(data, expected, found)
        self.check_optimized(made, data, expected, results)
        name, difference = found
        warnings.warn(
            f"to_onnx: rounding differs in ONNX Runtime, and {self.path} has other results there "
            f"for {name} ({difference}); each node has equal results from equal inputs",
            stacklevel=2,
        )

    def check_nodes(self, data: Values, expected: Values, found: Difference) -> None:
        """Raises E1324 if a node has another result than Mithril has from the same inputs."""
        file = os.path.join(self.folder, "every_value.onnx")
        self.export.write(file, all_values=True)
        values = self.results(file, data, is_partial=True)
        if values is None:
            self.refuse(found)
        if differs := self.difference_of_nodes(data, values, expected):
            self.refuse(differs)

    def check_optimized(self, made: str, data: Values, expected: Values, results: Values) -> None:
        """The same for the nodes of the graph that ONNX Runtime ran: it had optimized the file."""
        file = os.path.join(self.folder, "optimized.onnx")
        self.results(made, None, saved=file)
        names = [n for n in node_outputs(file) if n.removeprefix(FREE_CAST) in expected]
        add_outputs(file, names)
        values = self.results(file, data, is_partial=True, is_optimized=True)
        if values is None:
            return
        plain = dict(values)
        for name in names:
            if name.startswith(FREE_CAST) and name in values:
                key = name.removeprefix(FREE_CAST)
                plain[key] = plain.pop(name).astype(expected[key].dtype)
        differs = self.difference_of_nodes(data, plain, expected)
        differs = differs or first_difference(results, values)
        if differs:
            self.refuse(differs, [("where", "in the graph that ONNX Runtime has optimized")])

    def difference_of_nodes(
        self, data: Values, values: Values, expected: Values
    ) -> Difference | None:
        given = {
            name: value
            for name, value in values.items()
            if name in expected and value.shape == np.shape(expected[name])
        }
        alone = self.export.reference(data, given)
        beside = self.export.reference(moved(data), moved(given))
        return first_difference(values, alone, bounds_of_nodes(alone, beside))

    def refuse(self, found: Difference, facts: list[tuple[str, str]] | None = None) -> NoReturn:
        raise_error(
            "ValueError",
            "E1324",
            "ONNX Runtime has other results than Mithril",
            path=self.path,
            facts=[("first", found[0]), ("difference", found[1]), *(facts or [])],
            help="check=False writes the file nevertheless",
        )

    def results(
        self,
        file: str,
        data: Values | None,
        *,
        is_partial: bool = False,
        is_optimized: bool = False,
        saved: str = "",
    ) -> dict[str, Any] | None:
        """The outputs; None if ONNX Runtime has no kernels for the dtypes of the file.

        Args:
            file: the file that ONNX Runtime loads.
            data: the inputs with which it runs. Without them it only loads the file.
            is_partial: whether outputs of dtypes that NumPy lacks are left out.
            is_optimized: whether ONNX Runtime has optimized the file before.
            saved: the path of the optimized graph.
        """
        runtime = importlib.import_module("onnxruntime")
        errors = importlib.import_module("onnxruntime.capi.onnxruntime_pybind11_state")
        try:
            options = runtime.SessionOptions()
            # Without this, products of 8-bit numbers saturate on x86 processors without VNNI.
            options.add_session_config_entry("session.x64quantprecision", "1")
            if is_optimized:
                options.graph_optimization_level = runtime.GraphOptimizationLevel.ORT_DISABLE_ALL
            if saved:
                _save_optimized(options, saved)
            session = runtime.InferenceSession(file, options, providers=["CPUExecutionProvider"])
            if data is None:
                return {}
            outputs = [
                node
                for node in session.get_outputs()
                if not (is_partial and NOT_IN_NUMPY.fullmatch(node.type))
            ]
            for node in [*session.get_inputs(), *outputs]:
                if NOT_IN_NUMPY.fullmatch(node.type):
                    self.warn(f"NumPy has no {node.type[len('tensor(') : -1]}")
                    return None
            names = [node.name for node in outputs]
            results = session.run(names, self.inputs(session, data))
            return dict(zip(names, results, strict=True))
        except errors.NotImplemented as error:
            self.warn(str(error))
            return None
        except Exception as error:  # its classes share no other base
            raise_error(
                "ValueError",
                "E1323",
                "ONNX Runtime does not run the file",
                path=self.path,
                facts=[("reason", str(error))],
                help="check=False writes the file nevertheless",
            )

    def warn(self, reason: str) -> None:
        warnings.warn(f"to_onnx: ONNX Runtime cannot check {self.path}: {reason}", stacklevel=2)

    def inputs(self, session: Any, data: Values) -> dict[str, Any]:
        """What the session reads."""
        given = self.export.given(data)
        return {node.name: _array(given[node.name], node.type) for node in session.get_inputs()}


def _save_optimized(options: Any, path: str) -> None:
    options.optimized_model_filepath = path
    options.log_severity_level = 3  # no warning that the file is for this processor
    entry = "session.optimized_model_external_initializers_file_name"
    options.add_session_config_entry(entry, os.path.basename(path) + ".data")


def _array(value: Any, element_type: str) -> Any:
    name = element_type.removeprefix("tensor(").removesuffix(")")
    names = {"float": "float32", "double": "float64"}
    return np.asarray(value).astype(names.get(name, name), copy=False)
