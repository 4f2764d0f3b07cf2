"""The examples in the docstrings of the package run.

The docstrings of ops and layers are made from their records: test_docstrings.py covers them.
"""

import importlib.util
import inspect
import itertools
import os
import re
import shutil
import textwrap
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import onnx_bytes
import pytest
from mithril._internal.records import public_records
from web_tools import has_wasm

import mithril as ml

RECORDS = {record["name"] for record in public_records()}
# What an example mentions if it needs an optional module, and each module with the reason to skip.
NEEDS = {
    r"\btorch\b|TorchBackend|torchscript": {
        "torch": "torch is not installed",
        "mithril._torch": "torch is not built",
    },
    r"\bjax\b|JaxBackend|EngineJAX": {"jax": "jax is not installed"},
    r"\bml\.serve\(": {"mithril._server": "the server is not built"},
}


def is_of_mithril(thing: Any) -> bool:
    return str(getattr(thing, "__module__", "")).startswith("mithril")


def members_of(name: str, made: type) -> Iterator[tuple[str, Any]]:
    """Yields the public methods and properties, including those of base classes in the package."""
    for base in made.__mro__:
        if not is_of_mithril(base):
            continue
        for key, member in vars(base).items():
            if not key.startswith("_"):
                yield f"{name}.{key}", getattr(member, "__func__", member)


def documented(name: str, thing: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(thing, ModuleType):
        for key in getattr(thing, "__all__", ()):
            if key not in RECORDS:
                yield from documented(f"{name}.{key}", getattr(thing, key))
        return
    if inspect.isclass(thing):
        yield name, thing
        yield from members_of(name, thing)
    elif callable(thing):
        yield name, thing


def docstrings() -> dict[str, str]:
    """Returns the docstring of each name; a base class is listed once."""
    found: dict[str, str] = {}
    seen = set()
    for key in ml.__all__:
        if key in RECORDS:
            continue
        for name, thing in documented(key, getattr(ml, key)):
            text = thing.__doc__ if isinstance(getattr(thing, "__doc__", None), str) else ""
            if id(thing) not in seen and text:
                seen.add(id(thing))
                found.setdefault(name, inspect.cleandoc(text))
    return found


def example_of(text: str) -> str:
    """The indented code after the last line "Example:"."""
    parts = re.split(r"^Example:\n", text, flags=re.MULTILINE)
    lines = parts[-1].splitlines() if len(parts) > 1 else []
    code = itertools.takewhile(lambda line: not line or line.startswith(" "), lines)
    return textwrap.dedent("\n".join(code)).strip()


DOCSTRINGS = docstrings()
EXAMPLES = {name: code for name, text in DOCSTRINGS.items() if (code := example_of(text))}


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
    code = EXAMPLES[name]
    skip_without_its_needs(code)
    exec(compile(code, f"<example of {name}>", "exec"), names)


def test_the_lines_before_examples_are_plain() -> None:
    lines = [
        f"{name}: {line}"
        for name, text in DOCSTRINGS.items()
        for line in text.splitlines()
        if re.match(r"\s*Examples?\b.*:", line) and line != "Example:"
    ]
    assert lines == []


def test_examples_contain_no_ellipsis() -> None:
    assert [name for name, code in EXAMPLES.items() if "..." in code.split()] == []


def test_each_public_class_and_function_has_an_example() -> None:
    public = {key: getattr(ml, key) for key in ml.__all__ if key not in RECORDS}
    without = [
        key
        for key, thing in public.items()
        if callable(thing)
        and not (inspect.isclass(thing) and issubclass(thing, Exception))
        and not example_of(inspect.getdoc(thing) or "")
    ]
    assert without == []


@pytest.mark.parametrize(
    "owner",
    [
        *(ml.Model, ml.CompiledModel, ml.Optimizer, ml.TrainingStep),
        *(ml.Engine, ml.PendingAnswer, ml.PerSample),
    ],
)
def test_each_method_of_the_main_classes_has_an_example(owner: type) -> None:
    methods = {key: inspect.getdoc(thing) or "" for key, thing in vars(owner).items()}
    without = [
        key
        for key, text in methods.items()
        if not key.startswith("_")
        and callable(getattr(owner, key))
        and not text.startswith("The old name of")
        and not example_of(text)
    ]
    assert without == []


def test_each_public_class_and_function_names_a_page() -> None:
    root = Path(__file__).parents[3]
    public = {key: getattr(ml, key) for key in ml.__all__ if key not in RECORDS}
    modules = {key: thing for key, thing in public.items() if isinstance(thing, ModuleType)}
    for key, module in modules.items():
        names = [name for name in getattr(module, "__all__", ()) if name not in RECORDS]
        public |= {f"{key}.{name}": getattr(module, name) for name in names}
    without = [
        key
        for key, thing in public.items()
        if callable(thing)
        and not any(
            (root / page).is_file() for page in re.findall(r"docs/[\w-]+\.md", thing.__doc__)
        )
    ]
    assert without == []
