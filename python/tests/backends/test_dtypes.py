"""Arrays of all dtypes on all backends."""

import importlib.util

import numpy as np
import pytest
from named_backend import named_backend

import mithril as ml

BACKENDS = ["cpu", "torch", "jax"]
SIZES = {
    "bool": 1,
    "int8": 1,
    "int16": 2,
    "int32": 4,
    "int64": 8,
    "uint8": 1,
    "uint16": 2,
    "uint32": 4,
    "uint64": 8,
    "float16": 2,
    "bfloat16": 2,
    "float32": 4,
    "float64": 8,
}


@pytest.fixture(params=BACKENDS)
def backend(request):
    return named_backend(request.param)


@pytest.fixture(params=SIZES)
def dtype(request):
    return ml.dtype(request.param)


def name_of(array) -> str:
    return str(array.dtype).rsplit(".", maxsplit=1)[-1]


def test_the_size_of_a_dtype_is_in_bytes(dtype) -> None:
    assert dtype.size == SIZES[dtype.name]


def test_a_backend_makes_arrays_of_each_dtype(backend, dtype) -> None:
    for value in ([0, 1], [0.0, 1.0], np.array([0, 1]), ml.Tensor([0.0, 1.0], ml.bfloat16)):
        made = backend.array(value, dtype=dtype)
        assert name_of(made) == dtype.name
        assert ml.Tensor(made, "float64").tolist() == [0, 1]
    for made in (
        backend.zeros(2, dtype=dtype),
        backend.ones(2, dtype=dtype),
        backend.empty(2, dtype=dtype),
        backend.full(2, value=1, dtype=dtype),
        backend.arange(2, dtype=dtype) if dtype != ml.bool_ else backend.zeros(2, dtype=dtype),
    ):
        assert (name_of(made), tuple(made.shape)) == (dtype.name, (2,))


def test_dtypes_are_those_of_any_library(backend, dtype) -> None:
    spellings = [dtype, dtype.name]
    if dtype != ml.bfloat16:
        spellings += [np.dtype(dtype.name), np.dtype(dtype.name).type]
    if importlib.util.find_spec("torch") is not None:
        spellings.append(getattr(importlib.import_module("torch"), dtype.name))
    for spelling in spellings:
        assert name_of(backend.ones(2, dtype=spelling)) == dtype.name


def test_tensors_of_bfloat16_of_torch_are_read(backend) -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    value = torch.tensor([1.5, -2.0], dtype=torch.bfloat16)
    for dtype in ("bfloat16", "float32", "int32"):
        made = backend.array(value, dtype=dtype)
        assert name_of(made) == dtype
        assert ml.Tensor(made, "float64").tolist() == ([1, -2] if dtype == "int32" else [1.5, -2])


def test_arrays_of_bfloat16_of_ml_dtypes_are_read(backend) -> None:
    ml_dtypes = pytest.importorskip("ml_dtypes", reason="ml_dtypes is not installed")
    value = np.array([1.5, -2.0], ml_dtypes.bfloat16)
    assert ml.Tensor(backend.array(value, dtype=ml.bfloat16), "float32").tolist() == [1.5, -2]
    assert ml.Tensor(backend.array(value, dtype=ml.float32)).tolist() == [1.5, -2]


def test_none_is_no_dtype_of_a_torch_backend() -> None:
    pytest.importorskip("torch", reason="torch is not installed")
    with pytest.raises(ml.TypeError) as caught:
        ml.TorchBackend(dtype=None)
    assert caught.value.code == "E0395"
    assert ml.TorchBackend(amp_dtype=None).dtype == ml.TorchBackend().dtype
