"""Packages with a generated library, which runs in place of the model where that is allowed."""

import ctypes
import gc
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from c_library import Library, Options
from package_models import X, answer, model, params, save
from processes import environment
from test_huggingface import checkpoint, inputs

import mithril as ml
from mithril import _core

NAME = "backends/cpu/libmodel.so"
C_LIBRARY = Path(_core.__file__).resolve().parents[2] / "libmithril_c.so"
OTHER = 1  # the seed of the library's parameters, so that its answers are not those of the model


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a library of another seed."""
    folder = tmp_path_factory.mktemp("built")
    compiled = ml.compile(model(), ml.CpuBackend(), inference=True)
    ml.build_library(compiled, folder / "libmodel.so", params(OTHER), data={"x": X})
    return folder


def with_library(path: Path, built: Path, **replaced: bytes) -> Path:
    """A package of seed 0 whose library has seed OTHER."""
    files: dict[str, Any] = {name: built / name for name in ("libmodel.so", "libmodel.weights")}
    return save(path, backends={"cpu": {"files": {**files, **replaced}}})


def loaded(path: Path, native: bool = True) -> ml.Package:
    return ml.load_package(path, allow_native_code=native)


@pytest.mark.parametrize("name", ["p", "p.zip"])
def test_a_library_runs_only_where_native_code_is_allowed(
    tmp_path: Path, built: Path, name: str
) -> None:
    path = with_library(tmp_path / name, built)
    refused = loaded(path, native=False)
    np.testing.assert_allclose(refused.compile().evaluate({}, {"x": X})["y"], answer(), atol=1e-6)
    with pytest.raises(ml.BackendError) as caught:
        refused.native_file(NAME)
    assert caught.value.code == "E1041"

    compiled = loaded(path).compile()
    np.testing.assert_allclose(compiled.evaluate({}, {"x": X})["y"], answer(OTHER), atol=1e-6)
    assert (compiled.data_keys, compiled.output_keys) == (["x"], ["y"])
    with pytest.raises(ml.InputError) as caught:
        compiled.evaluate({}, {"x": X[:1]})  # a library has one size
    assert caught.value.code == "E0804"
    with pytest.raises(ml.BackendError, match="which is native code"):
        compiled.save_torchscript(tmp_path / "m.pt", {}, {"x": X})


@pytest.mark.parametrize("name", ["libmodel.so", "libmodel.weights"])
def test_a_library_that_changed_after_loading_does_not_run(
    tmp_path: Path, built: Path, name: str
) -> None:
    package = loaded(with_library(tmp_path / "p", built))
    with (tmp_path / "p/backends/cpu" / name).open("r+b") as file:
        file.seek(-8, 2)
        file.write(b"\x01" * 8)
    with pytest.raises(ml.ParseError, match=name) as caught:
        package.compile()
    assert caught.value.code == "E0766"


@pytest.mark.slow
def test_a_library_of_another_name_can_be_packaged(tmp_path: Path) -> None:
    compiled = ml.compile(model(), ml.CpuBackend(), inference=True)
    ml.build_library(compiled, tmp_path / "other.so", params(OTHER), data={"x": X})
    files = {"libmodel.so": tmp_path / "other.so", "libmodel.weights": tmp_path / "other.weights"}
    path = save(tmp_path / "p", backends={"cpu": {"files": files}})
    np.testing.assert_allclose(
        loaded(path).compile().evaluate({}, {"x": X})["y"], answer(OTHER), atol=1e-6
    )


def test_save_package_builds_the_library_on_request(tmp_path: Path) -> None:
    path = save(tmp_path / "p", backends={"cpu": {"library": {"x": X}}, "torch": None})
    package = loaded(path)
    assert {NAME, "backends/cpu/libmodel.weights"} < {file.name for file in package.files}
    assert package.info.inputs[0].shape == ["N", 4]
    np.testing.assert_allclose(package.compile().evaluate({}, {"x": X})["y"], answer(), atol=1e-6)
    with pytest.raises(ml.NameError, match="E0605"):
        save(tmp_path / "q", backends={"torch": {"library": {"x": X}}})
    with pytest.raises(ml.TypeError, match="a dict of example inputs"):
        save(tmp_path / "q", backends={"cpu": {"library": X}})


def test_a_library_keeps_the_integer_dtypes_of_ports(tmp_path: Path) -> None:
    names = ["int8", "uint8", "int16", "uint16", "uint32", "uint64"]
    inputs = {name: ml.IOKey(name, type=ml.Tensor[ml.dtype(name)], shape=[2]) for name in names}
    net = ml.Model.create(**{f"{name}_output": port + 1 for name, port in inputs.items()})
    data = {name: np.array([np.iinfo(name).max, 100], name) for name in names}
    ml.save_package(tmp_path / "p", net, {}, backends={"cpu": {"library": data}})
    got = loaded(tmp_path / "p").compile().evaluate({}, data)
    for name, array in data.items():
        made = got[f"{name}_output"]
        assert made.dtype == array.dtype
        np.testing.assert_array_equal(made, array + np.array(1, name))


@pytest.mark.slow
def test_the_library_of_a_model_with_a_state_has_the_state(tmp_path: Path) -> None:
    net = ml.Model()
    net |= ml.BatchNorm1D()(input=ml.IOKey("x", shape=["N", 4]), output="y")
    compiled = ml.compile(net, ml.CpuBackend())
    state = {key: array + 2 for key, array in compiled.initial_state_dict.items()}
    weights, library = compiled.get_parameters(), {"cpu": {"library": {"x": X}}}
    ml.save_package(tmp_path / "p", net, weights, state=state, backends=library)
    expected = loaded(tmp_path / "p", native=False).compile().evaluate({}, {"x": X})["y"]
    got = loaded(tmp_path / "p").compile().evaluate({}, {"x": X})["y"]
    np.testing.assert_allclose(got, expected, rtol=1e-5)


def mapped_libraries() -> set[str]:
    """The paths of the generated libraries that the process maps: of packages and loaded copies."""
    maps = Path("/proc/self/maps").read_text(encoding="utf-8")
    return {line.split(maxsplit=5)[5] for line in maps.splitlines() if "libmodel.so" in line}


def test_an_engine_serves_a_library_and_unloads_it(tmp_path: Path, built: Path) -> None:
    path = with_library(tmp_path / "p", built)
    gc.collect()  # other tests leave libraries in the tracebacks of the errors that they expect
    before = mapped_libraries()
    engine = ml.Engine()
    for _ in range(3):
        engine.register_model("net", loaded(path))
        got = engine.infer("net", {"x": X})["y"]
        np.testing.assert_allclose(got, answer(OTHER), atol=1e-6)
        assert any("mithril_package_" in name for name in mapped_libraries() - before)
        engine.unload("net")
        assert mapped_libraries() <= before


def test_an_answer_outlives_its_library(tmp_path: Path, built: Path) -> None:
    compiled = loaded(with_library(tmp_path / "p", built)).compile()
    got = compiled.evaluate({}, {"x": X})["y"]
    del compiled
    np.testing.assert_allclose(got, answer(OTHER), atol=1e-6)


@pytest.mark.skipif(
    not C_LIBRARY.exists(), reason="the C interface is not built beside this module"
)
@pytest.mark.parametrize("mapped", [0, 1])
def test_the_c_interface_runs_a_library(tmp_path: Path, built: Path, mapped: int) -> None:
    path = with_library(tmp_path / "p", built)
    library = Library(C_LIBRARY)
    for native, seed in ((0, 0), (1, OTHER)):
        opened = ctypes.c_void_p()
        options = ctypes.byref(Options(ctypes.sizeof(Options), b"cpu", 1, mapped, native))
        refused = library.call("model_open", str(path).encode(), options, ctypes.byref(opened))
        assert refused == (0, "", "")
        np.testing.assert_allclose(library.answer(opened, {"x": X}), answer(seed), atol=1e-6)
        library.dll.mithril_model_free(opened)


def test_a_library_that_cannot_be_loaded_is_named(tmp_path: Path, built: Path) -> None:
    path = with_library(tmp_path / "p", built, **{"libmodel.so": b"text"})
    with pytest.raises(ml.BackendError) as caught:
        loaded(path).compile()
    text = str(caught.value).replace(f"{tmp_path}/", "")
    assert text.startswith(
        "mithril.BackendError[E1047]: p/backends/cpu/libmodel.so: the generated library cannot be "
        "loaded\n"
    )
    np.testing.assert_allclose(
        loaded(path, native=False).compile().evaluate({}, {"x": X})["y"], answer(), atol=1e-6
    )


def test_other_weights_are_named(tmp_path: Path, built: Path) -> None:
    weights = (built / "libmodel.weights").read_bytes()
    path = with_library(tmp_path / "p", built, **{"libmodel.weights": b"0" * 64 + weights[64:]})
    with pytest.raises(ml.BackendError, match="not that of the weights of this library") as caught:
        loaded(path).compile()
    assert caught.value.code == "E1047"


def test_a_library_without_weights_or_of_another_model_is_refused(
    tmp_path: Path, built: Path
) -> None:
    save(tmp_path / "p", backends={"cpu": {"files": {"libmodel.so": built / "libmodel.so"}}})
    with pytest.raises(ml.ParseError) as caught:
        loaded(tmp_path / "p").compile()
    assert caught.value.code == "E0764"
    assert "p/backends/cpu/libmodel.weights: the file is missing" in str(caught.value)

    files = {name: built / name for name in ("libmodel.so", "libmodel.weights")}
    other = ml.Model()
    other |= ml.Linear(2)(input=ml.IOKey("x", shape=["N", 3]), output="y")
    weights = ml.compile(other, ml.CpuBackend(), inference=True).get_parameters()
    ml.save_package(tmp_path / "q", other, weights, backends={"cpu": {"files": files}})
    with pytest.raises(ml.ParseError, match="the library has other inputs than stated") as caught:
        loaded(tmp_path / "q").compile()
    assert caught.value.code == "E0769"


@pytest.mark.slow
def test_the_command_adds_a_library_on_request(tmp_path: Path) -> None:
    compiled, weights = checkpoint(tmp_path, "bert")
    data = inputs("bert")
    command = [sys.executable, "-m", "mithril", "package", "create", tmp_path, tmp_path / "p"]
    subprocess.run([*command, "--library", "N=2", "L=4"], env=environment(), check=True)
    got = loaded(tmp_path / "p").compile().evaluate({}, data)
    for key, expected in compiled.evaluate(weights, data).items():
        np.testing.assert_allclose(got[key], expected, rtol=1e-4, atol=1e-5)
    shutil.rmtree(tmp_path / "p")
    refused = subprocess.run(
        [*command, "--library", "N=2"], env=environment(), capture_output=True, check=False
    )
    assert b"E0605" in refused.stderr
    assert not (tmp_path / "p").exists()
