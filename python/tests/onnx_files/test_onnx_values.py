"""Values of ONNX ops at the ends of their ranges, and dtypes of their results."""

import numpy as np
import pytest
from onnx_bytes import TYPES, field, file, node, value

import mithril as ml

F = np.float32


def stated(name, dtype):
    """An output of any shape."""
    return field(1, name) + field(2, field(1, field(1, TYPES[dtype])))


def run(path, nodes, data, outputs="y", known=None):
    """The outputs of a graph of these nodes, of float32 unless their names end with a type."""
    inputs = [value(key, list(array.shape), array.dtype.name) for key, array in data.items()]
    names = [name.partition(":")[::2] for name in outputs.split()]
    made = [stated(name, of or "float32") for name, of in names]
    (path / "net.onnx").write_bytes(file(nodes, inputs, made, known))
    has_doubles = any(array.dtype == np.float64 for array in data.values())
    floats = ml.float64 if has_doubles else ml.float32
    model, params, _ = ml.from_onnx(path / "net.onnx", dtype=floats)
    compiled = ml.compile(model, ml.CpuBackend(floats), inference=True)
    results = compiled.evaluate(params, data)
    return [np.asarray(results[name]) for name, _ in names]


def test_known_doubles_are_computed_as_doubles(tmp_path):
    nodes = [node("Div", "a b", "c"), node("Exp", "d", "e"), node("Mul", "c e", "f")]
    known = {"a": np.array(1.0), "b": np.array(3.0), "d": np.array(100.0)}
    (y,) = run(tmp_path, [*nodes, node("Add", "x f", "y")], {"x": np.zeros(2)}, "y:float64", known)
    np.testing.assert_allclose(y, np.exp(100.0) / 3, rtol=1e-14)


@pytest.mark.parametrize("last", [0, 1])
@pytest.mark.parametrize("dtype", ["int32", "int64", "float32"])
def test_indices_of_extrema_are_int64(tmp_path, dtype, last):
    x = np.array([[3, 1, 3], [1, 1, 2]], dtype)
    nodes = [node("ArgMax", "x", "y", axis=1, select_last_index=last)]
    (y,) = run(tmp_path, nodes, {"x": x}, "y:int64")
    assert y.dtype == np.int64
    assert y.tolist() == [[2 * last], [2]]
    k = {"k": np.array([2], np.int64)}
    v, i = run(tmp_path, [node("TopK", "x k", "v i")], {"x": x}, f"v:{dtype} i:int64", k)
    assert (v.dtype, i.dtype) == (np.dtype(dtype), np.int64)
    assert (v[0].tolist(), i[0].tolist()) == ([3, 3], [0, 2])


def test_zeros_are_quantised(tmp_path):
    nodes = [node("DynamicQuantizeLinear", "x", "q s z"), node("Cast", "q", "y", to=1)]
    y, s = run(tmp_path, nodes, {"x": np.zeros(2, F)}, "y s")
    assert (y.tolist(), s.item()) == ([0, 0], 1)


def test_the_variance_of_large_elements_keeps_its_digits(tmp_path):
    x = (1e4 + np.random.default_rng(0).standard_normal((2, 3, 4, 4))).astype(F)
    (y,) = run(tmp_path, [node("MeanVarianceNormalization", "x", "y")], {"x": x})
    wide = x.astype(np.float64)
    axes = (0, 2, 3)
    expected = (wide - wide.mean(axes, keepdims=True)) / wide.std(axes, keepdims=True)
    np.testing.assert_allclose(y, expected, atol=1e-3)


@pytest.mark.parametrize("reverse", [0, 1])
@pytest.mark.parametrize("x", [np.array([1, 1e20, 3], F), np.array([1, 2, 3]), np.array([7.0], F)])
def test_exclusive_sums_leave_the_element_out(tmp_path, x, reverse):
    nodes = [node("CumSum", "x a", "y", exclusive=1, reverse=reverse)]
    (y,) = run(tmp_path, nodes, {"x": x}, f"y:{x.dtype}", {"a": np.array(-1)})
    turned = x[::-1] if reverse else x
    before = np.concatenate([np.zeros(1, x.dtype), np.cumsum(turned)[:-1]])
    np.testing.assert_array_equal(y, before[::-1] if reverse else before)


@pytest.mark.parametrize(
    ("op", "function", "x"),
    [
        ("Asinh", np.arcsinh, [np.inf, -np.inf, 1e20, -1e20, 1e-8, -3, 0.5, 0, np.nan, 1, -1]),
        ("Acosh", np.arccosh, [np.inf, 1e20, 1, 1.0001, 2, 2.5, 0.5, np.nan, -np.inf, -1e19]),
    ],
)
def test_inverse_hyperbolic_functions(tmp_path, op, function, x):
    x = np.array(x, F)
    (y,) = run(tmp_path, [node(op, "x", "y")], {"x": x})
    with np.errstate(invalid="ignore"):
        np.testing.assert_allclose(y, function(x.astype(np.float64)), rtol=1e-6)


def test_infinite_elements_make_no_nan(tmp_path):
    x = np.array([[np.inf, 1, 2], [-np.inf, 0, 1]], F)
    (y,) = run(tmp_path, [node("Hardmax", "x", "y")], {"x": x})
    assert y.tolist() == [[1, 0, 0], [0, 0, 1]]


@pytest.mark.parametrize("index", [4, 5, -5])
def test_indices_out_of_range_are_refused(tmp_path, index):
    data = {"x": np.arange(4, dtype=F), "i": np.array([[index]])}
    with pytest.raises(ml.ValueError, match="out of range"):
        run(tmp_path, [node("GatherND", "x i", "y")], data)
    with pytest.raises(ml.ValueError, match="out of range"):
        run(tmp_path, [node("ScatterND", "x i u", "y")], data | {"u": np.ones(1, F)})


def test_indices_of_one_batch_do_not_reach_another(tmp_path):
    data = {"x": np.arange(8, dtype=F).reshape(2, 2, 2), "i": np.array([[2], [0]])}
    nodes = [node("GatherND", "x i", "y", batch_dims=1)]
    with pytest.raises(ml.ValueError, match="out of range"):
        run(tmp_path, nodes, data)
    (y,) = run(tmp_path, nodes, data | {"i": np.array([[-1], [0]])})
    assert y.tolist() == [[2, 3], [4, 5]]


def test_large_ints_pad_exactly(tmp_path):
    known = {"p": np.array([1, 0]), "v": np.array(2**53 + 1)}
    (y,) = run(tmp_path, [node("Pad", "x p v", "y")], {"x": np.array([1])}, "y:int64", known)
    assert y.tolist() == [2**53 + 1, 1]


def test_a_transposed_convolution_extends_its_end(tmp_path):
    nodes = [node("ConvTranspose", "x w", "y", output_shape=[9], strides=[2])]
    x = np.array([[[0, 1, 2]]], F)
    (y,) = run(tmp_path, nodes, {"x": x}, known={"w": np.ones((1, 1, 3), F)})
    assert y.tolist() == [[[0, 0, 1, 1, 3, 2, 2, 0, 0]]]


@pytest.mark.parametrize("groups", [1, 2])
def test_a_transposed_convolution_may_have_no_filters(tmp_path, groups):
    nodes = [node("ConvTranspose", "x w", "y", pads=[1, 1, 1, 1], group=groups)]
    known = {"w": np.ones((2, 0, 2, 2), F)}
    (y,) = run(tmp_path, nodes, {"x": np.ones((1, 2, 4, 4), F)}, known=known)
    assert y.shape == (1, 0, 3, 3)


def test_logarithms_of_ints_are_refused(tmp_path):
    with pytest.raises(ml.ValueError, match="logarithms of ints are not supported"):
        run(tmp_path, [node("ReduceLogSum", "x", "y")], {"x": np.array([1, 2])})


def test_nearest_elements_of_exact_halves(tmp_path):
    known = {"s": np.array([1, 1, 14])}
    nodes = [node("Resize", "x r r s", "y")]
    known |= {"r": np.array([], F)}
    x = np.arange(20, dtype=F).reshape(1, 1, 20)
    (y,) = run(tmp_path, nodes, {"x": x}, known=known)
    assert y[0, 0, 10] == 14  # the place is exactly 14.5, and half prefers the floor


LEAST, MOST = 2.0**-127, 2.0**127
POWERS = {
    ("up", 1): [LEAST, 1, 2, 4, 8, MOST, MOST, MOST],
    ("down", 1): [LEAST, 1, 1, 2, 4, MOST, MOST, MOST],
    ("nearest", 1): [LEAST, 1, 2, 2, 8, MOST, MOST, MOST],
    ("nearest", 0): [np.nan, 1, 2, 2, 8, MOST, np.nan, np.nan],
}


@pytest.mark.parametrize("mode", POWERS)
def test_casts_to_powers_of_two_round_as_stated(tmp_path, mode):
    """By the table of the documentation of Cast. Ties go up."""
    x = np.array([0, 1, 1.5, 2.5, 6.5, MOST, 1.25 * MOST, np.inf], F)
    name = "float8_e8m0fnu"
    attributes = {"to": TYPES[name], "round_mode": mode[0].encode(), "saturate": mode[1]}
    (y,) = run(tmp_path, [node("Cast", "x", "y", **attributes)], {"x": x}, f"y:{name}")
    np.testing.assert_array_equal(y.astype(F), np.array(POWERS[mode], F))
