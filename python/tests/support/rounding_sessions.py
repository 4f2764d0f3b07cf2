"""In place of ONNX Runtime: sessions that round in another way, and make other results."""

import shutil
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np

import mithril as ml
from mithril.onnx import export


class MissingKernelError(Exception):
    """In place of the class NotImplemented of ONNX Runtime."""


class SessionOptions:
    def __init__(self):
        self.entries = {}
        self.optimized_model_filepath = None
        self.graph_optimization_level = None

    def add_session_config_entry(self, key, value):
        self.entries[key] = value


def use_session(monkeypatch, session):
    """`session`: what is called in place of InferenceSession."""
    level = SimpleNamespace(ORT_DISABLE_ALL="none")
    runtime = SimpleNamespace(
        InferenceSession=session, SessionOptions=SessionOptions, GraphOptimizationLevel=level
    )
    errors = SimpleNamespace(NotImplemented=MissingKernelError)
    monkeypatch.setitem(sys.modules, "onnxruntime", runtime)
    monkeypatch.setitem(sys.modules, "onnxruntime.capi.onnxruntime_pybind11_state", errors)
    monkeypatch.setattr(export, "_has", lambda module: module == "onnxruntime")


class Session:
    """Multiplies parameters by `factor`, and edits results.

    Args:
        factor: just above 1 for another rounding.
        edits: by the name of a value, what makes another of it.
        only: the name of the file whose results are edited; of each file without it.
    """

    def __init__(self, factor=1.0, edits=None, only=""):
        self.factor, self.edits, self.only = np.float32(factor), edits or {}, only

    def __call__(self, file, options, providers):
        if options.optimized_model_filepath:
            every = Path(file).with_name("every_value.onnx")
            shutil.copy(every, options.optimized_model_filepath)
        is_edited = file.endswith(self.only)
        return _Loaded(file, self.factor, self.edits if is_edited else {})


class _Loaded:
    def __init__(self, file, factor, edits):
        net = ml.from_onnx(file)
        self.edits = edits
        self.params = {key: value * factor for key, value in net.params.items()}
        self.compiled = ml.compile(net.model, ml.CpuBackend())

    def get_inputs(self):
        return [SimpleNamespace(name=key, type="tensor(float)") for key in self.compiled.data_keys]

    def get_outputs(self):
        return [
            SimpleNamespace(name=key, type="tensor(float)") for key in self.compiled.output_keys
        ]

    def run(self, names, inputs):
        results = self.compiled.evaluate(self.params, inputs)
        for key, edit in self.edits.items():
            if key in results:
                results[key] = edit(np.array(results[key]))
        return [results[key] for key in names]
