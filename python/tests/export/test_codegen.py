"""Compiled models as C++ files, from Python."""

import ctypes
import shutil
import subprocess

import numpy as np
import pytest
from generated_cpp import GeneratedCpp

import mithril as ml

COMPILER = shutil.which("g++") or shutil.which("clang++")
needs_compiler = pytest.mark.skipif(COMPILER is None, reason="there is no C++ compiler")


def layer():
    model = ml.Model()
    model |= ml.Linear(3)(input="x", weight="w", bias="b")
    model += ml.Gelu()(output="y")
    return model


def library_of(source, folder):
    library = folder / "model.so"
    subprocess.run([COMPILER, "-shared", "-fPIC", "-O1", source, "-o", library], check=True)
    return ctypes.CDLL(str(library))


def pointers(*arrays):
    return (ctypes.c_void_p * len(arrays))(*[array.ctypes.data for array in arrays])


@needs_compiler
@pytest.mark.slow
def test_a_generated_file_computes_the_results_of_the_compiled_model(tmp_path):
    compiled = ml.compile(layer(), ml.CpuBackend(), shapes={"x": ["N", 4]})
    x = np.linspace(-1, 1, 8, dtype=np.float32).reshape(2, 4)
    ml.codegen(compiled, tmp_path / "net.cpp", data={"x": x})
    library = library_of(tmp_path / "net.cpp", tmp_path)
    library.net_evaluate.restype = ctypes.c_char_p
    library.net_evaluate_gradients.restype = ctypes.c_char_p
    params = compiled.get_parameters()
    slope = np.ones((2, 3), np.float32)
    expected, gradients = compiled.evaluate(params, {"x": x}, output_gradients={"y": slope})

    y = np.zeros((2, 3), np.float32)
    given = pointers(x, params["w"], params["b"])
    assert library.net_evaluate(given, pointers(y), None) is None
    assert np.allclose(y, expected["y"], atol=1e-6)

    made = {key: np.zeros_like(value) for key, value in params.items()}
    status = library.net_evaluate_gradients(
        given, pointers(slope), pointers(y), pointers(made["w"], made["b"]), None
    )
    assert status is None
    assert all(np.allclose(made[key], gradients[key], atol=1e-6) for key in params)


def test_file_path_writes_the_same_file(tmp_path):
    path = tmp_path / "net.cpp"
    compiled = ml.compile(layer(), ml.CpuBackend(), shapes={"x": [2, 4]}, file_path=path)
    text = path.read_text()
    assert text.startswith("// The model 'net', written by Mithril")
    ml.codegen(compiled, path)
    assert path.read_text() == text


def test_an_open_size_needs_an_example(tmp_path):
    with pytest.raises(ml.InputError, match="the sizes of 'x' are not known"):
        ml.compile(layer(), ml.CpuBackend(), shapes={"x": ["N", 4]}, file_path=tmp_path / "n.cpp")


@needs_compiler
def test_kernels_of_scalars_build_without_warnings(tmp_path):
    n = ml.IOKey("n", type=ml.Tensor[int])
    model = ml.Model.create(half=n // 2, rest=n % 5)
    compiled = ml.compile(model, ml.CpuBackend(), shapes={"n": []}, data_keys=["n"])
    found = GeneratedCpp(compiled, tmp_path).evaluate(
        {"n": np.array(-7)}, {"half": np.array(0), "rest": np.array(0)}
    )
    assert (found["half"], found["rest"]) == (-4, 3)
