"""Powers of bases and exponents of different types. The type of the result is that of the base."""

import numpy as np
import onnx_bytes as ob
import pytest
from onnx_nodes import read, run

BASES = np.array([3, -2, 2**24 + 1, -(2**24) - 3, 0, 1])
EXPONENTS = np.array([5, 3, 1, 1, 2, 7])


@pytest.mark.parametrize("exponent", ["float32", "float64", "int64"])
@pytest.mark.parametrize("base", ["int32", "int64"])
def test_powers_of_ints_keep_all_digits(tmp_path, base, exponent):
    a, b = BASES.astype(base), EXPONENTS.astype(exponent)
    [y] = run(tmp_path, ob.node("Pow", "a b", "y"), {"a": a, "b": b}, dtype="float32")
    np.testing.assert_array_equal(y, BASES**EXPONENTS)
    assert y.dtype == base


@pytest.mark.parametrize("number", [0, 1, 2, 3])
def test_a_whole_constant_exponent_gives_a_power_of_ints(tmp_path, number):
    a = np.array([2**53 + 1, -3, 0]) if number < 2 else np.array([2**20 + 1, -3, 0])
    node = ob.node("Pow", "a b", "y")
    [y] = run(tmp_path, node, {"a": a}, known={"b": np.array(number, np.float32)})
    np.testing.assert_array_equal(y, a**number)


def test_a_power_of_an_int_by_a_fraction_is_rounded_towards_zero(tmp_path):
    a = np.array([17, 2**24 + 1], np.int32)
    node = ob.node("Pow", "a b", "y")
    [y] = run(tmp_path, node, {"a": a}, known={"b": np.array(0.5, np.float32)})
    np.testing.assert_array_equal(y, [4, 4096])
    assert y.dtype == np.int32


@pytest.mark.parametrize("is_known", [False, True])
def test_an_odd_exponent_above_the_ints_of_float32_stays_odd(tmp_path, is_known):
    a, b = np.array([-1.0, 1.0], np.float32), np.array(2**24 + 1)
    data, known = ({"a": a}, {"b": b}) if is_known else ({"a": a, "b": b}, {})
    [y] = run(tmp_path, ob.node("Pow", "a b", "y"), data, known=known, dtype="float32")
    np.testing.assert_array_equal(y, a)
    assert y.dtype == np.float32


@pytest.mark.parametrize("dims", [(), (1,), (1, 1)])
def test_a_known_exponent_of_one_element_is_a_scalar_of_the_model(tmp_path, dims):
    a, node = np.array([[3.0, -2.0]], np.float32), ob.node("Pow", "a b", "y")
    net = read(tmp_path, node, {"a": a}, known={"b": np.full(dims, 2)}, dtype="float32")
    [y] = run(tmp_path, node, {"a": a}, known={"b": np.full(dims, 2)}, dtype="float32")
    np.testing.assert_array_equal(y, a * a)
    assert "float64" not in net.model.to_json()


def test_a_known_exponent_of_more_axes_than_the_base_gives_its_axes(tmp_path):
    a, node = np.array([3.0, -2.0], np.float32), ob.node("Pow", "a b", "y")
    [y] = run(tmp_path, node, {"a": a}, known={"b": np.full((1, 1), 2)}, dtype="float32")
    np.testing.assert_array_equal(y, [a * a])


def test_an_exponent_of_a_weight_stays_a_parameter(tmp_path):
    a, node = np.array([3.0, 2.0], np.float32), ob.node("Pow", "a b", "y")
    exponent = np.array([3], np.float32)
    net = read(tmp_path, node, {"a": a}, known={"b": exponent}, dtype="float32")
    assert [parameter.tolist() for parameter in net.params.values()] == [[3.0]]
