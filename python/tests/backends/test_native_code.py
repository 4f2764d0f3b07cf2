"""optimization_level="max" on the CPU backend: loops that the system's compiler compiles."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from processes import printed_by

import mithril as ml

PROGRAM = """
import numpy as np
import mithril as ml

model = ml.Model()
model |= ml.Linear(30)(input="x", output="h")
model |= ml.Gelu()(input="h", output="g")
model |= ml.Tanh()(input="g", output="y")
compiled = ml.compile(model, ml.CpuBackend(), shapes={"x": [5, 7]}, optimization_level="LEVEL")
params = compiled.get_parameters(seed=3)
x, g = np.linspace(-2, 2, 35, dtype=np.float32).reshape(5, 7), np.ones((5, 30), np.float32)
outputs, gradients = compiled.evaluate(params, {"x": x}, {"y": g})
print(np.asarray(outputs["y"]).tobytes().hex())
print(np.asarray(gradients["linear.weight"]).tobytes().hex())
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MITHRIL_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path


def compiler_in(folder: Path, command: str) -> Path:
    """A program that records each of its runs, and runs the command."""
    script = folder / "compiler"
    script.write_text(f"#!/bin/sh\necho run >> {folder}/runs\n{command}\n")
    script.chmod(0o700)
    return script


def runs(folder: Path) -> int:
    log = folder / "runs"
    return len(log.read_text().splitlines()) if log.exists() else 0


def printed(level: str) -> str:
    """The output of a separate process."""
    return printed_by(PROGRAM.replace("LEVEL", level))


def summary() -> str:
    model = ml.Model()
    model |= ml.Gelu()(input="x", output="y")
    backend = ml.CpuBackend()
    return ml.compile(model, backend, shapes={"x": [40]}, optimization_level="max").summary()


@pytest.mark.skipif(not shutil.which("c++"), reason="there is no C++ compiler")
def test_processes_share_compiled_code(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXX", str(compiler_in(folder, 'exec c++ "$@"')))
    expected = printed("standard")
    assert len(expected.split()) == 2 and runs(folder) == 0
    assert printed("max") == expected
    assert runs(folder) == 2  # for the outputs, and for the gradient
    assert printed("max") == expected
    assert runs(folder) == 2
    names = sorted(path.name for path in (folder / "cache").iterdir())
    assert len(names) == 2 and all(name.endswith(".entry") for name in names)


@pytest.mark.skipif(not shutil.which("c++"), reason="there is no C++ compiler")
def test_the_summary_tells_of_the_compiler(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compiler = compiler_in(folder, 'exec c++ "$@"')
    monkeypatch.setenv("CXX", str(compiler))
    assert summary().endswith(f"\n1 of 1 loops run as native code of {compiler}\n")


def test_a_compiler_that_fails_is_no_error(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compiler = compiler_in(folder, "echo 'out of luck' >&2; exit 1")
    monkeypatch.setenv("CXX", str(compiler))
    assert printed("max") == printed("standard")
    assert summary().endswith(
        f"\nno native code, loops are interpreted: {compiler} failed: out of luck\n"
    )


def test_no_compiler_is_no_error(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setenv("PATH", str(folder))
    assert summary().endswith(
        "\nno native code, loops are interpreted: "
        "CXX is not set, and none of c++, g++ and clang++ is on the PATH\n"
    )
    model = ml.Model()
    model |= ml.Gelu()(input="x", output="y")
    x = np.linspace(-2, 2, 40, dtype=np.float32)
    results = [
        ml.compile(
            model, ml.CpuBackend(), shapes={"x": [40]}, data_keys={"x"}, optimization_level=level
        ).evaluate({}, {"x": x})["y"]
        for level in ("standard", "max")
    ]
    assert np.array_equal(np.asarray(results[0]), np.asarray(results[1]))
