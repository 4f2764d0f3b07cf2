"""Models as generated C++, JavaScript and WebAssembly: equal to the CPU backend."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from generated_cpp import GeneratedCpp, needs_compiler
from loop_models import BACKEND
from web_tools import needs_node, needs_wasm, run, write_module

import mithril as ml

TARGETS = [
    pytest.param("cpp", marks=[needs_compiler, pytest.mark.slow]),
    pytest.param("javascript", marks=needs_node),
    pytest.param("wasm", marks=[needs_node, needs_wasm, pytest.mark.slow]),
]
Arrays = dict[str, np.ndarray]


@dataclass
class Case:
    """A model, its data, and the inputs that have gradients."""

    model: ml.Model
    data: Arrays
    trained: tuple[str, ...] = ()


def drawn(**shapes: Any) -> Arrays:
    random = np.random.default_rng(11)
    return {key: np.asarray(random.normal(size=shape)) for key, shape in shapes.items()}


def compiled_case(case: Case, backend: Any = BACKEND) -> ml.CompiledModel:
    shapes = {key: list(np.shape(value)) for key, value in case.data.items()}
    keys, trained = set(case.data) - set(case.trained), set(case.trained)
    return ml.compile(case.model, backend, shapes=shapes, data_keys=keys, trainable_keys=trained)


SCRIPT = """
const given = readSafetensors(await read("given.safetensors"));
const part = (kind) =>
  Object.fromEntries(
    Object.entries(given)
      .filter(([key]) => key.startsWith(kind))
      .map(([key, { data }]) => [key.slice(kind.length), data]),
  );
const show = (values) =>
  Object.fromEntries(
    Object.entries(values).map(([key, elements]) => [key, Array.from(elements, String)]),
  );
const model = await createModel();
model.loadStateDict(part("param:"));
const found = [model.evaluate(part("data:"))];
if (%s) {
  const { outputs, gradients } = model.evaluateGradients(part("data:"), part("seed:"));
  found.push(outputs, gradients);
}
console.log(JSON.stringify(found.map(show)));
"""


@dataclass
class Results:
    """What a model is given, and its outputs and gradients on the CPU backend."""

    params: Arrays
    data: Arrays
    seeds: Arrays
    outputs: Arrays
    gradients: Arrays


def results_of(case: Case, compiled: ml.CompiledModel) -> Results:
    random = np.random.default_rng(1)
    params = {
        key: random.normal(size=np.shape(value)) * 0.5
        for key, value in compiled.get_parameters().items()
    }
    params |= {key: case.data[key] for key in case.trained}
    data = {key: value for key, value in case.data.items() if key not in case.trained}
    outputs = compiled.evaluate(params, data)
    if not params:
        return Results(params, data, {}, outputs, {})
    floats = {key: value for key, value in outputs.items() if value.dtype == np.float64}
    seeds = {key: random.normal(size=value.shape) for key, value in floats.items()}
    _, gradients = compiled.evaluate(params, data, output_gradients=seeds)
    return Results(params, data, seeds, outputs, gradients)


def web_results(target: str, compiled: ml.CompiledModel, folder: Path, expected: Results) -> Any:
    """The outputs of a module, and those and the gradients of another call."""
    module = write_module(target, compiled, folder / "module")
    given = {f"param:{key}": value for key, value in expected.params.items()}
    given |= {f"data:{key}": value for key, value in expected.data.items()}
    given |= {f"seed:{key}": value for key, value in expected.seeds.items()}
    ml.save(module.parent / "given.safetensors", given)
    (line,) = run(module, SCRIPT % ("true" if expected.params else "false"))
    return json.loads(line)


def cpp_results(compiled: ml.CompiledModel, folder: Path, expected: Results) -> Any:
    cpp, given = GeneratedCpp(compiled, folder), expected.data | expected.params
    found = [cpp.evaluate(given, expected.outputs)]
    if expected.params:
        found += cpp.gradients(given, expected.seeds, expected.outputs, expected.gradients)
    return found


def check_case(case: Case, target: str, folder: Path) -> None:
    """Compares values to 1e-12, and gradients to 1e-10."""
    compiled = compiled_case(case)
    expected = results_of(case, compiled)
    if target == "cpp":
        found = cpp_results(compiled, folder, expected)
    else:
        found = web_results(target, compiled, folder, expected)
    for got in found[:2]:
        assert set(got) == set(expected.outputs)
        for key, value in expected.outputs.items():
            close(got[key], value, 1e-12, key)
    for key, value in expected.gradients.items():
        close(found[2][key], value, 1e-10, key)


def close(got: Any, expected: np.ndarray, tolerance: float, key: str) -> None:
    if expected.dtype == np.int64:  # JavaScript shows ints as doubles
        assert [float(each) for each in np.ravel(got)] == [float(each) for each in expected.flat]
        return
    values = np.array(got, np.float64).reshape(expected.shape)
    expected = expected.astype(np.float64)
    np.testing.assert_allclose(values, expected, rtol=tolerance, atol=tolerance, err_msg=key)
