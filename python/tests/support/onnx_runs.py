"""Runs of files that `ml.to_onnx` has written: after `ml.from_onnx`, and in ONNX Runtime."""

import importlib
import sys

import numpy as np

import mithril as ml


def read_back(path, data, outputs):
    model, params, renamed = ml.from_onnx(path)
    compiled = ml.compile(model, ml.CpuBackend())
    keys = set(compiled.data_keys)
    results = compiled.evaluate(params, {k: v for k, v in data.items() if k in keys})
    return {renamed.get(key, key): value for key, value in results.items()}


def run_in_onnxruntime(path, data, outputs):
    """The outputs in ONNX Runtime, after the checker of the onnx package; None without them."""
    if importlib.util.find_spec("onnxruntime") is None:
        return None
    onnxruntime = importlib.import_module("onnxruntime")
    importlib.import_module("onnx.checker")
    sys.modules["onnx"].checker.check_model(str(path), full_check=True)
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    taken = {node.name for node in session.get_inputs()}
    results = session.run(list(outputs), {k: v for k, v in data.items() if k in taken})
    return dict(zip(outputs, results, strict=True))


RUNS = (read_back, run_in_onnxruntime)


def assert_equal_results(path, compiled, weights, data, runs=RUNS):
    """`weights`: the parameters, and the state if there is one."""
    expected = compiled.infer(weights[0], data, *weights[1:])
    for run in runs:
        results = run(path, data, list(expected))
        if results is None:
            continue
        for key, value in expected.items():
            assert results[key].dtype == value.dtype
            largest = np.abs(value[np.isfinite(value)]).max(initial=0)
            bound = 1e-4 * max(1.0, float(largest)) if value.dtype.kind == "f" else 0
            np.testing.assert_allclose(results[key], value, rtol=0, atol=bound, err_msg=key)
