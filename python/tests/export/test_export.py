"""`ml.export`, which writes each target by the ending of the path or by its name."""

import shutil
from pathlib import Path

import numpy as np
import pytest

import mithril as ml

X = np.linspace(-1, 1, 8, dtype=np.float32).reshape(2, 4)
COMPILER = shutil.which("g++") or shutil.which("clang++")


def compiled_layer(backend: ml.CpuBackend | ml.TorchBackend, rows: int | str) -> ml.CompiledModel:
    model = ml.Model()
    model |= ml.Linear(3)(input="x", weight="w", bias="b", output="y")
    return ml.compile(model, backend, shapes={"x": [rows, 4]})


def test_the_ending_names_the_target(tmp_path: Path) -> None:
    opened, fixed = (compiled_layer(ml.CpuBackend(), rows) for rows in ("N", 2))
    assert ml.export(opened, tmp_path / "net.cpp", data={"x": X}) == tmp_path / "net.cpp"
    ml.export(opened, tmp_path / "net.py")
    ml.export(fixed, tmp_path / "net.mjs")
    other = tmp_path / "other"
    other.mkdir()
    ml.codegen(opened, other / "net.cpp", data={"x": X})
    ml.to_jax(opened, other / "net.py")
    ml.to_javascript(fixed, other / "net.mjs")
    for name in ("net.cpp", "net.py", "net.mjs", "net.d.mts"):
        assert (tmp_path / name).read_text() == (other / name).read_text()


def test_a_folder_needs_the_name_of_the_target(tmp_path: Path) -> None:
    fixed = compiled_layer(ml.CpuBackend(), 2)
    ml.export(fixed, tmp_path / "npm", "javascript")
    assert (tmp_path / "npm" / "package.json").exists()
    with pytest.raises(ml.ValueError) as caught:
        ml.export(fixed, tmp_path / "folder")
    assert str(caught.value).replace(str(tmp_path), "") == (
        "mithril.ValueError[E0492]: the ending of '/folder' names no language\n"
        "  expected : .cpp, .py, .mjs, .pt, .so\n"
        '  help: name the target: target="wasm" and target="javascript" write folders'
    )
    refusal = r"E0492.*the target 'jax' does not write .*\n  expected : .py"
    with pytest.raises(ml.ValueError, match=refusal):
        ml.export(fixed, tmp_path / "net.cpp", "jax")


@pytest.mark.parametrize("target", ["javascript", "wasm"])
def test_a_folder_has_no_ending_of_another_target(target: str, tmp_path: Path) -> None:
    fixed = compiled_layer(ml.CpuBackend(), 2)
    refusal = rf"E0492.*the target '{target}'.*\n  expected : .*a folder"
    with pytest.raises(ml.ValueError, match=refusal):
        ml.export(fixed, tmp_path / "net.py", target)
    assert not (tmp_path / "net.py").exists()


@pytest.mark.skipif(COMPILER is None, reason="there is no C++ compiler")
def test_a_library_stores_its_parameters(tmp_path: Path) -> None:
    fixed = compiled_layer(ml.CpuBackend(), 2)
    ml.export(fixed, tmp_path / "net.so", params=fixed.get_parameters(), compiler=COMPILER)
    assert (tmp_path / "net.so").exists() and (tmp_path / "net.weights").exists()


def test_torchscript_is_the_target_of_pt(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    compiled = compiled_layer(ml.TorchBackend(), 2)
    params = compiled.get_parameters()
    ml.export(compiled, tmp_path / "net.pt", params=params)
    expected = compiled.evaluate(params, {"x": X})["y"]
    assert torch.allclose(torch.jit.load(tmp_path / "net.pt")(torch.from_numpy(X)), expected)


def test_unknown_targets_and_options_are_errors(tmp_path: Path) -> None:
    fixed = compiled_layer(ml.CpuBackend(), 2)
    with pytest.raises(ml.NameError) as caught:
        ml.export(fixed, tmp_path / "net.cpp", "javascrip")
    assert str(caught.value) == (
        "mithril.NameError[E0630]: export has no target 'javascrip'\n"
        "  known : cpp, jax, javascript, wasm, torchscript, library\n"
        "  help: did you mean 'javascript'?"
    )
    with pytest.raises(ml.ValueError, match=r"E0493\]: export: the target 'jax' takes no data"):
        ml.export(fixed, tmp_path / "net.py", data={"x": X})
    with pytest.raises(ml.ValueError, match="'cpp' takes no march\n  takes : data"):
        ml.export(fixed, tmp_path / "net.cpp", march="native")
