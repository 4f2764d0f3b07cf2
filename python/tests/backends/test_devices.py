"""The devices of the backends, and the calls on arrays that all backends have."""

import importlib.util
import os
import re
from pathlib import Path

import numpy as np
import pytest

import mithril as ml

BACKENDS = {"cpu": ml.CpuBackend, "torch": ml.TorchBackend, "jax": ml.JaxBackend}


@pytest.fixture(params=BACKENDS)
def kind(request):
    if request.param != "cpu" and importlib.util.find_spec(request.param) is None:
        pytest.skip(f"{request.param} is not installed")
    return BACKENDS[request.param]


def as_numpy(array):
    return np.asarray(array.cpu() if hasattr(array, "cpu") else array)


def test_a_backend_names_its_devices(kind) -> None:
    assert "cpu" in kind.devices()
    assert kind.is_available() and kind.is_available("cpu")
    assert not kind.is_available("cuda:99")
    assert kind().default_device in kind.devices()


def test_a_backend_without_its_library_has_no_devices(monkeypatch) -> None:
    def missing():
        ml._core.raise_error("BackendError", "E1036", "JaxBackend needs JAX")

    monkeypatch.setattr("mithril.backends.jax.import_jax", missing)
    assert ml.JaxBackend.devices() == []
    assert not ml.JaxBackend.is_available()


def test_memory_of_the_device(kind) -> None:
    info = kind().memory_info("cpu")
    assert info.device == "cpu"
    assert 0 < info.free <= info.total <= os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def test_memory_of_the_backend() -> None:
    pytest.importorskip("torch", reason="torch is not installed")
    backend = ml.TorchBackend(memory_limit="1GB")
    kept = backend.zeros(1000)
    info = backend.memory_info()
    assert info.limit == 10**9
    assert info.peak >= info.allocated >= kept.numel() * 4
    assert ml.CpuBackend().memory_info().allocated is None


def test_arrays_of_lists_slices_and_arrays(kind) -> None:
    backend = kind()
    numbers = np.arange(24, dtype=np.float32).reshape(4, 6)
    for given in (numbers, numbers[::2, 1:4], numbers.T, numbers[::-1], [[1.0, 2.0]], (3.0,)):
        np.testing.assert_array_equal(as_numpy(backend.array(given)), np.array(given))


@pytest.mark.parametrize("call", ["zeros", "ones", "empty", "rand", "randn"])
def test_a_negative_size_is_an_error_of_mithril(kind, call) -> None:
    with pytest.raises(ml.ValueError) as caught:
        getattr(kind(), call)(2, -1)
    assert caught.value.code == "E0488"


def test_arrays_are_made_and_reshaped(kind) -> None:
    backend = kind()
    np.testing.assert_array_equal(as_numpy(backend.zeros(2, 3)), np.zeros((2, 3)))
    np.testing.assert_array_equal(as_numpy(backend.ones((2, 3))), np.ones((2, 3)))
    drawn = as_numpy(backend.randn(1000, seed=3))
    assert drawn.dtype == np.float32 and abs(drawn.mean()) < 0.2 and 0.9 < drawn.std() < 1.1
    np.testing.assert_array_equal(as_numpy(backend.randn(1000, seed=3)), drawn)
    backend.manual_seed(4)
    first, second = as_numpy(backend.rand(3)), as_numpy(backend.rand(3))
    assert not np.array_equal(first, second)
    backend.manual_seed(4)
    np.testing.assert_array_equal(as_numpy(backend.rand(3)), first)
    assert set(as_numpy(backend.randint(3, 5, 100)).tolist()) == {3, 4}
    made = backend.arange(6)
    assert as_numpy(made).dtype == np.int64
    for shape in ((2, 3), ((2, -1),)):
        np.testing.assert_array_equal(
            as_numpy(backend.reshape(made, *shape)), np.arange(6).reshape(2, 3)
        )
    with pytest.raises((ml.ValueError, ml.TypeError)) as caught:
        backend.reshape(made, 4, 2)
    assert caught.value.code in ("E0488", "E0377")  # JAX raises a TypeError


def test_contiguous_arrays_stay(kind) -> None:
    backend = kind()
    made = backend.array(np.arange(6.0).reshape(2, 3))
    assert backend.contiguous(made) is made
    turned = backend.contiguous(made.T)
    np.testing.assert_array_equal(as_numpy(turned), as_numpy(made).T)
    assert np.asarray(turned).flags.c_contiguous


def test_arrays_move_to_devices(kind) -> None:
    backend = kind()
    made = backend.array([1.0, 2.0])
    np.testing.assert_array_equal(as_numpy(backend.to_device(made, "cpu")), [1.0, 2.0])
    with pytest.raises(ml.BackendError) as caught:
        backend.to_device(made, "cuda:99")
    assert str(caught.value).startswith(
        "mithril.BackendError[E1005]: there is no device 'cuda:99'\n"
    )
    assert re.search(r"known +: .*cpu", str(caught.value))


EXACT = {
    "int64": [2**53 + 1, -(2**63), 2**63 - 1],
    "int32": [-(2**31), 2**31 - 1],
    "int16": [-(2**15), 2**15 - 1],
    "int8": [-128, 127],
    "uint8": [0, 255],
    "bool": [True, False],
    "float64": [1 + 2.0**-52],
    "float32": [1 + 2.0**-23],
    "float16": [1 + 2.0**-10],
}


@pytest.mark.parametrize("dtype", EXACT)
def test_dtypes_are_exact(kind, dtype) -> None:
    backend = kind(dtype=dtype) if dtype.startswith("float") else kind()
    made = backend.array(EXACT[dtype], getattr(ml, "bool_" if dtype == "bool" else dtype))
    assert as_numpy(made).dtype == np.dtype(dtype)
    assert as_numpy(made).tolist() == EXACT[dtype]
    kind_of = {"b": bool, "i": int, "u": int, "f": float}[dtype[0]]
    x = ml.IOKey("x", type=ml.Tensor[kind_of])
    model = ml.Model.create(y=x.reshape((1, -1)))
    result = ml.compile(model, backend, data_keys=["x"]).evaluate({}, {"x": made})["y"]
    # Models compute with ints of 64 bits.
    assert as_numpy(result).dtype == np.dtype("int64" if kind_of is int else dtype)
    assert as_numpy(result).tolist() == [EXACT[dtype]]


def test_host_memory_is_that_of_the_container(tmp_path: Path, monkeypatch) -> None:
    from mithril.backends import devices  # noqa: PLC0415

    (tmp_path / "memory.max").write_text("1000\n")
    (tmp_path / "memory.current").write_text("400\n")
    monkeypatch.setattr(devices, "CGROUP", tmp_path)
    assert devices.host_memory() == (1000, 600)
    (tmp_path / "memory.max").write_text("max\n")
    total, free = devices.host_memory()
    assert total > 1000 and free > 600
