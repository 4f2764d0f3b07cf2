"""The examples in the docstrings of the package run.

The docstrings of ops and layers are made from their records: test_docstrings.py covers them.
"""

import importlib.util
import inspect
import os
import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import onnx_bytes
import pytest
from docstrings import (
    docstrings,
    example_of,
    is_error,
    public_methods,
    public_names,
    section_faults,
)
from mithril.backends.devices import DeviceArrays
from web_tools import has_wasm

import mithril as ml

# The classes whose object takes several lines to make: the examples of their methods use the names
# of the example of the class.
SETUPS = ("GradDotProdEngine", "GradDotProdEngineJAX", "Tokenizer", "text.TextModel")
# What an example mentions if it needs an optional module, and each module with the reason to skip.
NEEDS = {
    r"\btorch\b|TorchBackend|torchscript": {
        "torch": "torch is not installed",
        "mithril._torch": "torch is not built",
    },
    r"\bjax\b|JaxBackend|EngineJAX": {"jax": "jax is not installed"},
    r"\bml\.serve\(": {"mithril._server": "the server is not built"},
}


DOCSTRINGS = docstrings()
EXAMPLES = {name: code for name, text in DOCSTRINGS.items() if (code := example_of(text))}


# Arguments that may have the wrong shape, or name a file that cannot be read.
CHECKED = {
    *("array", "arrays", "batch", "data", "gradients", "output_gradients", "params", "path"),
    *("shape", "state", "tensor", "validation", "weights"),
}
ARRAY = re.compile(r"\b(array|tensor)s?\b")
# [B, V], "the same shape", or the form of a dict whose arrays have the shapes of their keys.
SHAPE = re.compile(r"\[[^\]\n]*\]|\b(shape|size|row|scalar)s?\b|[Dd]icts? of|\{key: array\}")


def with_arrays() -> dict[str, str]:
    """The docstrings of the functions and methods that take one of these arguments."""
    functions = [
        (name, thing, inspect.getdoc(thing) or "")
        for name, thing in public_names()
        if callable(thing) and not inspect.isclass(thing)
    ]
    return {
        name: text
        for name, function, text in [*functions, *public_methods()]
        if CHECKED & {*inspect.signature(function).parameters}
    }


WITH_ARRAYS = with_arrays()


@pytest.fixture
def names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The names that an example may use. It runs in an empty folder."""
    monkeypatch.chdir(tmp_path)
    model = ml.Model()
    model |= ml.Linear(2)(input="x", weight="weight", bias="bias", output="y")
    model.set_shapes(x=["N", 4])
    train = ml.TrainModel(model.copy())
    train.add_loss(ml.SquaredError(), input="y", target="target", key_name="loss")
    compiled = ml.compile(
        train,
        ml.CpuBackend(),
        shapes={"x": [None, 4], "target": [None, 2]},
        data_keys=["x", "target"],
    )
    rng = np.random.default_rng(0)
    data = {
        "x": rng.normal(size=(8, 4)).astype(np.float32),
        "target": rng.normal(size=(8, 2)).astype(np.float32),
    }
    optimizer = ml.Adam(1e-2)
    sums = ml.Model()
    sums |= ml.Add()(left="sum", right="x", output="next")
    sums.bind_state_keys("sum", "next", np.zeros((8, 4), np.float32))
    losses = model.copy()
    losses |= ml.SquaredError()(input="y", target="target", output="losses")
    shapes = {"x": ["N", 4], "target": ["N", 2]}
    of_samples = ml.compile(losses, ml.CpuBackend(), shapes=shapes, data_keys=["x", "target"])
    engine = ml.Engine()
    engine.register_model("digits", compiled, compiled.get_parameters())
    engine.register_model("sums", ml.compile(sums, ml.CpuBackend(), data_keys=["x"]), {})
    image = onnx_bytes.value("x", ["N", 3, 224, 224]), onnx_bytes.value("y", ["N", 3, 224, 224])
    graph = onnx_bytes.file([onnx_bytes.node("Relu", "x", "y")], [image[0]], [image[1]])
    (tmp_path / "net.onnx").write_bytes(graph)
    return {
        "ml": ml,
        "np": np,
        "backend": ml.CpuBackend(),
        "model": model,
        "compiled": compiled,
        "params": compiled.get_parameters(),
        "data": data,
        "engine": engine,
        "image": np.zeros((1, 3, 224, 224), np.float32),
        "optimizer": optimizer,
        "samples": ml.PerSample(of_samples, losses="losses"),
        "step": ml.TrainingStep(compiled, optimizer),
    }


def skip_without_its_needs(code: str) -> None:
    for pattern, modules in NEEDS.items():
        for module, reason in modules.items() if re.search(pattern, code) else ():
            if importlib.util.find_spec(module) is None:
                pytest.skip(reason)
    if "build_library(" in code and shutil.which(os.environ.get("CXX", "c++")) is None:
        pytest.skip("there is no C++ compiler")
    if "to_wasm(" in code and not has_wasm():
        pytest.skip("clang builds no WebAssembly")


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_example_runs(name: str, names: dict[str, Any]) -> None:
    run(name, EXAMPLES[name], names)


@pytest.mark.parametrize("name", vars(DeviceArrays))
@pytest.mark.parametrize("backend", ["TorchBackend", "JaxBackend"])
def test_the_examples_of_arrays_run_on_each_backend(
    backend: str, name: str, names: dict[str, Any]
) -> None:
    code = example_of(inspect.getdoc(getattr(ml.CpuBackend, name)) or "")
    if "backend." in code:
        run(f"{backend}.{name}", f"backend = ml.{backend}()\n{code}", names)


def run(name: str, code: str, names: dict[str, Any]) -> None:
    """Runs an example. Those of some classes begin where the example of the class ends."""
    owner = name.rpartition(".")[0]
    codes = [EXAMPLES[owner], code] if owner in SETUPS else [code]
    for each in codes:
        skip_without_its_needs(each)
    for each in codes:
        exec(compile(each, f"<example of {name}>", "exec"), names)


def test_the_lines_before_examples_are_plain() -> None:
    lines = [
        f"{name}: {line}"
        for name, text in DOCSTRINGS.items()
        for line in text.splitlines()
        if re.match(r"\s*Examples?\b.*:", line) and line != "Example:"
    ]
    assert lines == []


def test_sections_have_one_form() -> None:
    """Arguments begin in lower case, and errors with "If". An empty line is before a section."""
    faults = {name: section_faults(text) for name, text in DOCSTRINGS.items()}
    assert {name: lines for name, lines in faults.items() if lines} == {}


def test_examples_contain_no_ellipsis() -> None:
    assert [name for name, code in EXAMPLES.items() if "..." in code.split()] == []


def test_each_public_class_and_function_has_an_example() -> None:
    without = [
        key
        for key, thing in public_names()
        if callable(thing) and not is_error(thing) and not example_of(inspect.getdoc(thing) or "")
    ]
    assert without == []


def test_each_public_method_has_an_example() -> None:
    assert [name for name, _, text in public_methods() if not example_of(text)] == []


@pytest.mark.parametrize("name", WITH_ARRAYS)
def test_what_takes_arrays_shapes_or_files_states_its_errors(name: str) -> None:
    assert re.search(r"^Raises:$", WITH_ARRAYS[name], re.MULTILINE)


@pytest.mark.parametrize("name", WITH_ARRAYS)
def test_what_takes_or_returns_arrays_states_shapes(name: str) -> None:
    text = WITH_ARRAYS[name].partition("\nExample:")[0]
    if ARRAY.search(text):
        assert SHAPE.search(text)


def test_each_public_class_and_function_names_a_page() -> None:
    root = Path(__file__).parents[3]
    without = [
        key
        for key, thing in public_names()
        if callable(thing)
        and not any(
            (root / page).is_file() for page in re.findall(r"docs/[\w-]+\.md", thing.__doc__)
        )
    ]
    assert without == []
