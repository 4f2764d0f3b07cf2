"""Division and shifts of uint64, and BitCast of ints, compared with NumPy."""

import numpy as np
import onnx_bytes as ob
import pytest
from onnx_nodes import refusal, run

TOP = 2**64
NUMBERS = np.array(
    [0, 1, 2, 5, 7, 2**31, 2**32 + 3, 2**63 - 1, 2**63, 2**63 + 1, TOP - 2, TOP - 1], np.uint64
)
DIVISORS = NUMBERS[NUMBERS > 0]
OPS = [("Div", np.floor_divide), ("Mod", np.remainder)]


@pytest.fixture(autouse=True)
def _types(monkeypatch):
    more = {"uint64": 13, "uint32": 12, "uint16": 4, "int16": 5}
    monkeypatch.setattr(ob, "TYPES", ob.TYPES | more)


@pytest.mark.parametrize(("op", "wanted"), OPS)
def test_numbers_of_all_sizes_are_divided(tmp_path, op, wanted):
    a, b = np.meshgrid(NUMBERS, DIVISORS)
    [y] = run(tmp_path, ob.node(op, "a b", "y"), {"a": a, "b": b})
    np.testing.assert_array_equal(y, wanted(a, b))
    assert y.dtype == np.uint64


def test_random_numbers_are_divided(tmp_path):
    rng = np.random.default_rng(0)
    a = rng.integers(0, TOP, 1000, np.uint64, endpoint=False)
    b = np.maximum(
        rng.integers(0, TOP, 1000, np.uint64) >> rng.integers(0, 64, 1000).astype(np.uint64), 1
    )
    for op, wanted in OPS:
        [y] = run(tmp_path, ob.node(op, "a b", "y"), {"a": a, "b": b})
        np.testing.assert_array_equal(y, wanted(a, b))


@pytest.mark.parametrize("direction", ["LEFT", "RIGHT"])
def test_bits_are_shifted(tmp_path, direction):
    a, b = np.meshgrid(NUMBERS, np.array([0, 1, 7, 31, 32, 63], np.uint64))
    [y] = run(tmp_path, ob.node("BitShift", "a b", "y", direction=direction), {"a": a, "b": b})
    np.testing.assert_array_equal(y, a << b if direction == "LEFT" else a >> b)


CASTS = [
    (np.uint32, np.int32, 6),
    (np.int8, np.uint8, 2),
    (np.uint16, np.int16, 5),
    (np.int64, np.uint64, 13),
    (np.bool_, np.uint8, 2),
    (np.float32, np.float32, 1),
]


@pytest.mark.parametrize(("before", "after", "code"), CASTS)
def test_bits_of_ints_stay(tmp_path, before, after, code):
    x = np.random.default_rng(0).integers(0, 256, 64, np.uint8).view(before)
    x = x > 0 if before == np.bool_ else x
    [y] = run(tmp_path, ob.node("BitCast", "x", "y", to=code), {"x": x}, opset=26, dtype="float32")
    assert y.dtype == after
    np.testing.assert_array_equal(y.view(np.uint8), x.view(np.uint8))


REFUSED = [
    (np.float16, 5, "the bits of float16 are not read"),
    (np.int32, 7, "int32 and int64 have different numbers of bits"),
    (np.uint8, 9, "a bool has one bit of its byte"),
]


@pytest.mark.parametrize(("dtype", "code", "reason"), REFUSED)
def test_other_casts_are_refused(tmp_path, dtype, code, reason):
    found = refusal(
        tmp_path, ob.node("BitCast", "x", "y", to=code), {"x": np.zeros(2, dtype)}, opset=26
    )
    assert found == f"BitCast (opset 26): {reason}"
