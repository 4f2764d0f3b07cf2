"""Integers at the limits of their dtypes: indices, counts, large numbers, and casts of floats."""

from pathlib import Path

import numpy as np
import pytest
from named_backend import named_backend

import mithril as ml

BACKENDS = ["cpu", "reference", "torch", "jax"]
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
HUGE = np.array([2**63 + 5, 3, 2**64 - 1, 7], np.uint64)


@pytest.fixture(params=BACKENDS)
def backend(request):
    return named_backend(request.param)


def port(name: str, array: np.ndarray) -> ml.IOKey:
    return ml.IOKey(name, type=ml.Tensor[ml.dtype(str(array.dtype))], shape=list(array.shape))


def evaluated(backend, outputs, **data) -> dict:
    model = ml.Model.create(**outputs)
    compiled = ml.compile(model, backend, data_keys=list(data))
    return {key: np.asarray(value) for key, value in compiled.evaluate({}, data).items()}


def check(got: np.ndarray, expected: np.ndarray) -> None:
    assert got.dtype == expected.dtype
    np.testing.assert_array_equal(got, expected)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("index", INTEGERS)
@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "int64", "uint64"])
def test_indexed_elements_keep_their_dtype(dtype, index, backend) -> None:
    x, places = np.arange(6).reshape(3, 2).astype(dtype), np.array([2, 0], index)
    a, i = port("x", x), port("i", places)
    got = evaluated(backend, {"taken": a[i], "gathered": ml.Gather()(a, i)}, x=x, i=places)
    check(got["taken"], x[[2, 0]])
    check(got["gathered"], x[[2, 0]])


@pytest.mark.parametrize("index", INTEGERS)
def test_floats_have_indices_of_every_dtype(index, backend) -> None:
    x, places = np.arange(6, dtype=np.float32).reshape(3, 2), np.array([2, 0], index)
    a, i = port("x", x), port("i", places)
    got = evaluated(backend, {"taken": a[i], "gathered": ml.Gather()(a, i)}, x=x, i=places)
    check(got["taken"], x[[2, 0]])
    check(got["gathered"], x[[2, 0]])


@pytest.mark.parametrize("dtype", INTEGERS)
def test_counts_do_not_wrap(dtype, backend) -> None:
    x = np.ones(300, dtype)
    weights = np.full(300, 2, np.uint8)
    outputs = {
        "counts": ml.Bincount(minlength=2)(port("x", x)),
        "sums": ml.Bincount(minlength=2)(port("x", x), weights=port("w", weights)),
    }
    got = evaluated(backend, outputs, x=x, w=weights)
    check(got["counts"], np.array([0, 300], "int32" if dtype == "int32" else "int64"))
    check(got["sums"], np.array([0, 600 % 256], np.uint8))


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64"])
def test_numbers_beyond_int32_are_compared_as_they_are(dtype, backend) -> None:
    array = np.array([1, 100], dtype)
    x = port("x", array)
    outputs = {
        "less": x < 2**40,
        "equal": x == 2**32 + 1,
        "unequal": x != 2**32 + 1,
        "greater": x > -(2**40),
        "limited": x.clamp(0, 2**40),
        "raised": x.clamp(-(2**40), 50),
        "quotient": x // (2**32 + 1),
        "sum": x + (2**40 + 3),
    }
    got = evaluated(backend, outputs, x=array)
    for key in ("less", "unequal", "greater"):
        check(got[key], np.array([True, True]))
    check(got["equal"], np.array([False, False]))
    check(got["limited"], array)
    check(got["raised"], np.array([1, 50], dtype))
    check(got["quotient"], np.array([0, 0], dtype))
    check(got["sum"], (array.astype(np.int64) + 2**40 + 3).astype(dtype))


def test_uint64_is_compared_by_all_ops_that_take_it(backend) -> None:
    places = np.arange(4)
    other, small = np.array([1, 2**63, 5, 7], np.uint64), np.array([9, 9, 200, 1], np.uint8)
    x, y, i = port("x", HUGE), port("y", other), port("i", places)
    outputs = {
        "amax": ml.Scatter(axis=0, reduce="amax")(x, i, y),
        "amin": ml.Scatter(axis=0, reduce="amin")(x, i, y),
        "sum": ml.Scatter(axis=0, reduce="add")(x, i, y),
        "mixed": ml.Scatter(axis=0, reduce="amin")(port("b", small), i, x),
        "cummax": ml.CumMax(axis=0)(x)[0],
        "cummin": ml.CumMin(axis=0)(x)[0],
        "squared": ml.SquaredError()(x, y),
        "is_nan": ml.IsNan()(x),
    }
    got = evaluated(backend, outputs, x=HUGE, y=other, i=places, b=small)
    check(got["amax"], np.maximum(HUGE, other))
    check(got["amin"], np.minimum(HUGE, other))
    check(got["sum"], HUGE + other)
    check(got["mixed"], np.array([9, 3, 200, 1], np.uint64))
    check(got["cummax"], np.maximum.accumulate(HUGE))
    check(got["cummin"], np.minimum.accumulate(HUGE))
    check(got["squared"], (HUGE - other) ** np.uint64(2))
    check(got["is_nan"], np.zeros(4, bool))


def test_a_loss_that_needs_the_order_of_uint64_is_refused() -> None:
    x, y = port("x", HUGE), port("y", HUGE)
    with pytest.raises(ml.TypeError) as caught:
        evaluated(ml.CpuBackend(), {"l": ml.AbsoluteError()(x, y)}, x=HUGE, y=HUGE)
    assert str(caught.value) == (
        "mithril.TypeError[E1361]: l: absolute_error: port 'input' takes no uint64\n"
        "  help: cast it to int64 or to a float first, if its numbers fit"
    )


@pytest.mark.parametrize("given", ["float16", "float32", "float64"])
@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("backend", ["cpu", "reference", "torch"])
def test_floats_out_of_range_become_the_least_integer(dtype, given, backend) -> None:
    limits = np.iinfo(dtype)
    at_the_limit = [float(limits.max) / 2, 2.0 * float(limits.max), 1.5 * float(limits.min) - 1.5]
    with np.errstate(over="ignore"):
        x = np.array([0.5, -0.9, *at_the_limit, np.inf, -np.inf, np.nan]).astype(given)
    whole = np.trunc(x.astype(np.float64))
    fits = (whole >= float(limits.min)) & (whole < 2.0 * float(limits.max // 2 + 1))
    expected = np.full(x.shape, limits.min, dtype)
    expected[fits] = whole[fits].astype(dtype)
    got = evaluated(named_backend(backend), {"y": port("x", x).cast(ml.dtype(dtype))}, x=x)["y"]
    check(got, expected)


def test_files_hold_integers_exactly_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "a.safetensors"
    exact = {"U64": np.array([0, 2**62 + 1]), "I64": np.array([1, 2**63 - 1], np.uint64)}
    for name, array in exact.items():
        ml.save_safetensors(path, {"w": array}, types={"w": name})
        loaded = np.asarray(ml.load_safetensors(path)["w"])
        check(loaded, array.astype("uint64" if name == "U64" else "int64"))
    for name, array in [("I64", HUGE), ("I32", np.array([2**40])), ("U64", np.array([-1]))]:
        with pytest.raises(ml.ValueError, match=f"E0491.*w: the tensor cannot be stored as {name}"):
            ml.save_safetensors(path, {"w": array}, types={"w": name})
