"""Shared libraries of compiled models, which have the C interface and need nothing else."""

import ctypes
import re
import subprocess
from pathlib import Path

import bert
import numpy as np
import pytest
from c_library import Library, Port, Tensor
from package_models import SMALL_BERT, WRONG_RUNS, X, answer, codes_of_wrong_runs, model, params

import mithril as ml

IDS = np.array([[101, 7592, 2088, 102]])
TOKENS = {"input_ids": IDS, "token_type_ids": IDS * 0, "attention_mask": IDS > 0}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library of the model of package_models."""
    path = tmp_path_factory.mktemp("built") / "model.so"
    compiled = ml.compile(model(), ml.CpuBackend(), inference=True)
    assert ml.build_library(compiled, path, params(), data={"x": X}) == path.with_suffix(".weights")
    return path


def test_a_library_gives_the_answers_of_the_model(built: Path) -> None:
    library = Library(built)
    opened = library.opened("")
    np.testing.assert_allclose(library.answer(opened, {"x": X}), answer(), atol=1e-6)
    port = Port()
    assert library.call("model_input", opened, ctypes.c_size_t(0), ctypes.byref(port))[0] == 0
    assert (port.name, port.ndim, port.shape[:2]) == (b"x", 2, [2, 4])
    assert (port.symbols[0], port.symbols[1]) == (None, None)
    assert (library.count("input", opened), library.count("output", opened)) == (1, 1)
    library.dll.mithril_model_free(opened)


@pytest.mark.slow
def test_a_library_runs_bert(tmp_path: Path) -> None:
    compiled = ml.compile(
        bert.sentence_encoder(bert.Config(**SMALL_BERT)), ml.CpuBackend(), inference=True
    )
    weights = compiled.randomize_params(1)
    ml.build_library(compiled, tmp_path / "encoder.so", weights, data=TOKENS)
    library = Library(tmp_path / "encoder.so")
    opened = library.opened(tmp_path)
    expected = compiled.evaluate(weights, TOKENS)["embedding"]
    np.testing.assert_allclose(library.answer(opened, TOKENS), expected, rtol=1e-4, atol=1e-6)
    library.dll.mithril_model_free(opened)


def test_a_library_does_not_depend_on_mithril_and_exports_only_the_interface(built: Path) -> None:
    loaded = subprocess.run(["ldd", built], capture_output=True, text=True, check=True).stdout
    assert not re.search(r"mithril_core|stdc\+\+|libgcc|fmt", loaded)
    listing = subprocess.run(
        ["nm", "-D", "--defined-only", built], capture_output=True, text=True, check=True
    ).stdout
    names = set(re.findall(r" \w (\S+)", listing)) - {"MITHRIL_1", "MITHRIL_2"}
    assert {"mithril_model_run@@MITHRIL_1", "mithril_model_name@@MITHRIL_2"} <= names
    assert all(re.fullmatch(r"mithril_\w+@@MITHRIL_[12]", name) for name in names)


def test_wrong_calls_have_the_errors_of_the_interface(built: Path) -> None:
    library = Library(built)
    opened = library.opened(built.parent)
    assert codes_of_wrong_runs(library, opened) == WRONG_RUNS
    status, code, message = library.run(opened, {"x": X}, count=2)
    assert (status, code) == (1, "E0870")
    assert "output_count is 2, expected 1" in message
    library.dll.mithril_model_free(opened)


def test_a_bool_port_takes_integers_that_are_0_or_1(tmp_path: Path) -> None:
    mask = ml.IOKey("mask", type=ml.Tensor[bool], shape=["N"])
    compiled = ml.compile(ml.Model.create(y=3.0 - mask.cast(ml.float32)), ml.CpuBackend())
    ml.build_library(compiled, tmp_path / "m.so", {}, data={"mask": np.ones(3, bool)})
    library = Library(tmp_path / "m.so")
    opened = library.opened("")
    for dtype in ("bool", "int8", "int16", "int32", "int64", "uint8"):
        given = np.array([1, 0, 1], dtype)
        np.testing.assert_array_equal(library.answer(opened, {"mask": given}), [2, 3, 2])
    for value in (2, -1):
        wrong = np.array([1, 0, value], np.int16)
        status, code, message = library.run(opened, {"mask": wrong})
        assert (status, code) == (2, "E0805")
        assert f"'mask' has {value}, expected 0 or 1" in message
    largest = np.array([1, 0, 2**64 - 1], np.uint64)
    assert f"'mask' has {2**64 - 1}, expected" in library.run(opened, {"mask": largest})[2]
    assert library.run(opened, {"mask": np.ones(3, np.float32)})[1] == "E0805"
    zeros, shape = np.zeros(3, np.int64), (ctypes.c_int64 * 1)(3)
    names, made = (ctypes.c_char_p * 1)(b"mask"), (ctypes.c_void_p * 1)()
    one = ctypes.c_size_t(1)
    for bits in (0, 12, 24):  # no dtype has as many
        tensor = Tensor(zeros.ctypes.data, (1, 0), 1, 0, bits, 1, ctypes.addressof(shape))
        given = (ctypes.c_void_p * 1)(ctypes.addressof(tensor))
        assert library.call("model_run", opened, names, given, one, made, one)[1] == "E0805"
    library.dll.mithril_model_free(opened)


def test_every_function_of_a_model_has_an_error_object(built: Path) -> None:
    for name, (status, code, message) in Library(built).refusals_of_null().items():
        assert (name, status, code) == (name, 1, "E0870")
        assert f"mithril_model_{name}: " in message


def test_other_weights_are_refused(built: Path, tmp_path: Path) -> None:
    library = Library(built)
    model = ctypes.c_void_p()

    def refusal(path: Path) -> tuple[int, str]:
        return library.call("model_open", str(path).encode(), None, ctypes.byref(model))[:2]

    weights = built.with_suffix(".weights").read_bytes()
    (tmp_path / "cut").write_bytes(weights[:-1])
    (tmp_path / "other").write_bytes(b"0" * 64 + weights[64:])
    assert refusal(tmp_path / "missing") == (2, "E0830")
    assert refusal(tmp_path / "cut") == (3, "E0766")
    assert refusal(tmp_path / "other") == (3, "E0766")


def test_models_that_cannot_be_built_are_refused(tmp_path: Path) -> None:
    compiled = ml.compile(model(), ml.CpuBackend(), inference=True)
    with pytest.raises(ml.InputError) as caught:
        ml.build_library(compiled, tmp_path / "m.so", {}, data={"x": X})
    assert caught.value.code == "E0801"
    with pytest.raises(ml.BackendError) as refused:
        ml.build_library(compiled, tmp_path / "m.so", params(), data={"x": X}, compiler="false")
    assert str(refused.value).startswith(
        "mithril.BackendError[E1043]: build_library: the compiler failed"
    )
    assert list(tmp_path.iterdir()) == []
