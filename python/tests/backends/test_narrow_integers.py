"""Integers of 8 and 16 bits and unsigned ones: exact wherever tensors go; widened by int ports."""

from pathlib import Path

import numpy as np
import pytest
import safetensors.numpy
from named_backend import named_backend

import mithril as ml

EXTREMES = {
    "int8": [-128, -1, 127],
    "int16": [-(2**15), -1, 2**15 - 1],
    "uint8": [0, 1, 255],
    "uint16": [0, 1, 2**16 - 1],
    "uint32": [0, 1, 2**32 - 1],
}
BACKENDS = ["cpu", "torch", "jax"]


@pytest.fixture(params=EXTREMES)
def array(request):
    return np.array(EXTREMES[request.param], request.param)


@pytest.fixture(params=BACKENDS)
def backend(request):
    return named_backend(request.param)


def test_no_backend_has_such_a_default_dtype(backend) -> None:
    for dtype in [*EXTREMES, "int32"]:
        with pytest.raises(ml.TypeError) as caught:
            type(backend)(dtype=dtype)
        assert caught.value.code == "E0383"


def same(a, b) -> bool:
    return a.dtype == b.dtype and np.array_equal(a, b)


def test_tensors_share_the_elements_of_arrays(array) -> None:
    tensor = ml.Tensor(array)
    assert tensor.dtype == getattr(ml, array.dtype.name)
    assert same(tensor.numpy(), array)
    array[0] = 7
    assert tensor.numpy()[0] == 7
    assert same(np.from_dlpack(tensor), array)
    assert same(np.asarray(tensor), array)
    assert repr(tensor) == f"Tensor({array.dtype}[3] {{{', '.join(map(str, array.tolist()))}}})"


def test_tensors_are_converted(array) -> None:
    name = array.dtype.name
    exact = ("int64", "float64") if name == "uint32" else ("int32", "int64", "float32", "float64")
    for wide in exact:
        converted = ml.Tensor(array, wide)
        assert same(converted.numpy(), array.astype(wide))
        assert same(ml.Tensor(converted, name).numpy(), array)
    assert same(ml.Tensor([1, 2], getattr(ml, name)).numpy(), np.array([1, 2], name))


def test_files_keep_the_dtype(array, tmp_path: Path) -> None:
    path = tmp_path / "file.safetensors"
    ml.save_safetensors(path, {"a": array, "matrix": np.array([array, array]).T})
    assert same(safetensors.numpy.load_file(path)["a"], array)
    assert same(ml.load_safetensors(path)["a"], array)
    assert same(ml.load_safetensors(path)["matrix"], np.array([array, array]).T)
    np.savez(tmp_path / "file.npz", a=array)
    assert same(ml.load(tmp_path / "file.npz").params["a"], array)


def test_a_tensor_is_stored_as_a_narrower_type_only_where_it_fits(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with pytest.raises(ml.ValueError, match="cannot be stored as U8"):
        ml.save_safetensors(path, {"a": np.array([-1], np.int8)}, types={"a": "U8"})
    ml.save_safetensors(path, {"a": np.array([5], np.int16)}, types={"a": "I8"})
    assert same(ml.load_safetensors(path)["a"], np.array([5], np.int8))


def test_models_compute_in_wider_integers(array, backend) -> None:
    x = ml.IOKey("x", type=ml.Tensor[int])
    compiled = ml.compile(ml.Model.create(y=x * 300), backend, data_keys=["x"])
    got = np.asarray(compiled.evaluate({}, {"x": array})["y"])
    assert same(got, array.astype(np.int64) * 300)
    given = backend.array(array)
    assert str(given.dtype).endswith(array.dtype.name)
    assert same(np.asarray(compiled.evaluate({}, {"x": given})["y"]), got)


def test_constants_of_models_are_widened(array) -> None:
    model = ml.Model.create(y=ml.Add()(ml.IOKey("x", type=ml.Tensor[int]), ml.Tensor(array)))
    copy = ml.Model.from_json(model.to_json())
    assert copy == model
    for tested in (model, copy):
        compiled = ml.compile(tested, ml.CpuBackend(), data_keys=["x"])
        got = compiled.evaluate({}, {"x": np.array([1000])})["y"]
        assert same(got, array.astype(np.int64) + 1000)
    x = ml.IOKey("x", type=ml.Tensor[int])
    compiled = ml.compile(ml.Model.create(y=x * 300), ml.CpuBackend(), constant_keys={"x": array})
    wide = np.int64 if array.dtype == np.uint32 else np.int32
    assert same(compiled.evaluate({}, {})["y"], array.astype(wide) * wide(300))


def test_floats_are_no_integers(array, backend) -> None:
    x = ml.IOKey("x", type=ml.Tensor[float])
    compiled = ml.compile(ml.Model.create(y=x * 2.0), backend, data_keys=["x"])
    with pytest.raises(ml.InputError) as caught:
        compiled.evaluate({}, {"x": array})
    assert str(caught.value).startswith(
        f"mithril.InputError[E0805]: 'x' is {array.dtype}, expected float32\n"
    )


def test_an_engine_batches_requests_of_several_widths(array) -> None:
    x = ml.IOKey("x", type=ml.Tensor[int], shape=["N", 3])
    compiled = ml.compile(ml.Model.create(y=x * 300), ml.CpuBackend(), data_keys=["x"])
    engine = ml.Engine()
    engine.register_model("net", compiled, {}, max_batch_size=3, max_delay=60.0)
    rows = [array.reshape(1, 3), array.reshape(1, 3).astype(np.int64) * 1000, array.reshape(1, 3)]
    answers = [engine.infer_async("net", {"x": row}) for row in rows]
    for row, answer in zip(rows, answers, strict=True):
        assert same(answer.result()["y"], row.astype(np.int64) * 300)
    assert engine.stats("net")["calls"] == 1
    engine.shut_down()


def test_torch_scripts_take_narrow_integers(array, tmp_path: Path) -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    divides = array.dtype not in (np.uint16, np.uint32)  # which torch does not divide

    class Halves(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x // 2

    class Copies(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x.clone()

    dtype = getattr(ml, array.dtype.name)
    ports = [("x", dtype, ["N"])], [("y", dtype, ["N"])]
    ml.save_torchscript_package(
        tmp_path / "p", torch.jit.script(Halves() if divides else Copies()), *ports
    )
    package = ml.load_package(tmp_path / "p", allow_native_code=True)
    assert package.info.inputs == ports[0]
    got = package.compile(ml.TorchBackend()).evaluate({}, {"x": array})["y"]
    assert same(np.asarray(got), array // 2 if divides else array)


def test_tensors_of_torch_stay_on_their_device_and_exact(array) -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    given = torch.from_numpy(array)
    tensor = ml.Tensor(given)
    assert tensor.dtype == getattr(ml, array.dtype.name)
    ml.TorchBackend()
    assert same(np.asarray(ml.Tensor(given).numpy()), array)
