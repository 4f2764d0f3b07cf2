"""compile(..., cache=True): graphs on disk, and the same results as without."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from processes import environment, printed_by

import mithril as ml

PROGRAM = """
import numpy as np
import mithril as ml

for size in range(2, 6):
    for _ in range(5):
        model = ml.Model()
        model |= ml.Linear(3)(input="x", output="h")
        model |= ml.Gelu()(input="h", output="y")
        compiled = ml.compile(model, ml.CpuBackend(), shapes={"x": [None, size]}, cache=True)
        params = compiled.get_parameters()
        x, g = np.ones((2, size), np.float32), np.ones((2, 3), np.float32)
        outputs, gradients = compiled.evaluate(params, {"x": x}, {"y": g})
    print(np.asarray(outputs["y"]).tobytes().hex())
    print(np.asarray(gradients["linear.weight"]).tobytes().hex())
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MITHRIL_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


def network() -> ml.Model:
    model = ml.Model()
    model |= ml.Linear(3)(input="x", output="h")
    model |= ml.Gelu()(input="h", output="y")
    return model


def states(folder: Path) -> dict[str, int]:
    return {path.name: path.stat().st_ino for path in folder.iterdir()}


def test_processes_that_compile_concurrently_have_equal_results(folder: Path) -> None:
    command = [sys.executable, "-c", PROGRAM]
    running = [
        subprocess.Popen(command, env=environment(), stdout=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    texts = [process.communicate()[0] for process in running]
    assert all(process.returncode == 0 for process in running)
    expected = printed_by(PROGRAM.replace("cache=True", "cache=False"))
    assert len(expected.split()) == 8
    assert texts == [expected] * 4
    files = states(folder)
    assert len(files) == 8 and all(name.endswith(".entry") for name in files)
    assert printed_by(PROGRAM) == expected
    assert states(folder) == files


def test_a_damaged_entry_is_made_again(folder: Path) -> None:
    def outputs() -> bytes:
        compiled = ml.compile(network(), ml.CpuBackend(), shapes={"x": [None, 2]}, cache=True)
        x = np.ones((1, 2), np.float32)
        return np.asarray(compiled.evaluate(compiled.get_parameters(), {"x": x})["y"]).tobytes()

    expected = outputs()
    (entry,) = folder.iterdir()
    whole = entry.read_bytes()
    for damaged in (b"", whole[:-1], whole[:40] + b"?" + whole[41:], b"something else"):
        entry.write_bytes(damaged)
        assert outputs() == expected
        assert entry.read_bytes() == whole


def test_a_cache_that_cannot_be_created_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MITHRIL_CACHE_DIR", "/proc/no_such/folder")
    ml.compile(network(), ml.CpuBackend(), shapes={"x": [None, 2]}, cache=True)


def test_gradients_of_torch_backends_come_from_the_cache(folder: Path) -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    pytest.importorskip("mithril._torch", reason="torch is not built")

    def gradients(cache: bool, **options) -> list:
        backend = ml.TorchBackend(requires_grad=True, **options)
        compiled = ml.compile(network(), backend, shapes={"x": [None, 2]}, cache=cache)
        params = compiled.get_parameters()
        compiled.evaluate(params, {"x": torch.ones(4, 2)})["y"].sum().backward()
        return [tensor.grad for tensor in params.values()]

    for options in ({}, {"use_amp": True}, {"memory_efficient": True}, {"eager_mode": True}):
        expected = gradients(False, **options)
        first = gradients(True, **options)
        files = states(folder)
        second = gradients(True, **options)
        assert states(folder) == files
        for got in (first, second):
            assert all(torch.equal(a, b) for a, b in zip(got, expected, strict=True))
    assert len(files) == 7  # memory_efficient has the forward pass of the first
