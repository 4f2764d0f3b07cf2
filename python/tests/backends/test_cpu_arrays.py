"""The arrays that the CPU backend makes: NumPy's, in its dtype."""

import numpy as np
import pytest

import mithril as ml


def test_arrays_have_the_dtype_of_the_backend() -> None:
    backend = ml.CpuBackend(dtype=ml.float64)
    assert isinstance(backend, ml.CpuBackend) and backend.name == "cpu"
    for made in (backend.zeros(2, 3), backend.ones((2, 3)), backend.empty([2, 3])):
        assert made.shape == (2, 3) and made.dtype == np.float64
    assert backend.full(2, value=3.0).tolist() == [3.0, 3.0]
    assert backend.full((2,), 3.0, dtype="float32").dtype == np.float32
    assert backend.array([1.5]).dtype == np.float64
    assert backend.array([1, 2]).dtype == np.int64
    assert backend.array([True], dtype=ml.float32).dtype == np.float32
    assert backend.arange(1, 7, 2).tolist() == [1, 3, 5]
    assert backend.arange(2.0).dtype == np.float64


def test_drawn_arrays_follow_their_seed() -> None:
    backend = ml.CpuBackend()
    assert backend.rand(3).dtype == np.float32
    np.testing.assert_array_equal(backend.randn(2, 3, seed=1), backend.randn(2, 3, seed=1))
    ints = backend.randint(3, 5, 100)
    assert set(ints.tolist()) == {3, 4} and ints.dtype == np.int64
    backend.manual_seed(4)
    first = backend.rand(3)
    backend.manual_seed(4)
    np.testing.assert_array_equal(backend.rand(3), first)


def test_options_are_checked() -> None:
    with pytest.raises(ml.NameError, match="CpuBackend has no argument 'precision'"):
        ml.CpuBackend(precision=64)
