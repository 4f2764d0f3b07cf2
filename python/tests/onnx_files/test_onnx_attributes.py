"""Attributes of nodes: those of newer opsets, those that no rule reads, and forms of constants."""

import struct

import numpy as np
import onnx_bytes as ob
import pytest
from onnx_nodes import refusal, run

import mithril as ml

RNG = np.random.default_rng(0)
FLOAT, INT8, FLOAT16, DOUBLE = 1, 3, 10, 11
X = RNG.normal(size=(4, 6)).astype(np.float32)
DTYPES = {FLOAT: np.float32, FLOAT16: np.float16, DOUBLE: np.float64}


@pytest.mark.parametrize("dtype", [FLOAT, FLOAT16, DOUBLE])
@pytest.mark.parametrize("scale", [np.float32(0.3), np.float16(0.3)])
@pytest.mark.parametrize("rows", [3, 1100])
@pytest.mark.parametrize("is_known", [False, True])
def test_dequantized_elements_of_another_type(tmp_path, dtype, scale, rows, is_known):
    q = RNG.integers(-128, 128, (rows, 1024)).astype(np.int8)
    given = {"q": q, "scale": np.array(scale), "zero": np.array(3, np.int8)}
    node = ob.node("DequantizeLinear", "q scale zero", "w", output_dtype=dtype)
    nodes = [node, ob.node("Identity", "w", "y")]
    values = {"known": given, "data": {}} if is_known else {"data": given}
    [y] = run(tmp_path, nodes, dtype="float32", **values)
    wide = np.float64 if dtype == DOUBLE else np.float32
    expected = ((q.astype(wide) - 3) * wide(scale)).astype(DTYPES[dtype])
    assert y.dtype == DTYPES[dtype]
    np.testing.assert_array_equal(y, expected)


@pytest.mark.parametrize("zero", [None, np.array(60000, np.uint16)])
def test_quotients_of_another_precision(tmp_path, zero):
    x = np.arange(0, 900, 0.37, dtype=np.float32)
    scale = np.array(0.7, np.float32)
    data = {"x": x, "scale": scale} | ({} if zero is None else {"zero": zero})
    names = "x scale" if zero is None else "x scale zero"
    options = {"output_dtype": 4, "precision": FLOAT16}
    [q] = run(tmp_path, ob.node("QuantizeLinear", names, "y", **options), data, dtype="float32")
    steps = np.rint(x.astype(np.float16) / scale.astype(np.float16)).astype(np.float32)
    shift = 0 if zero is None else np.float32(zero)
    np.testing.assert_array_equal(q, np.clip(steps + shift, 0, 65535).astype(np.uint16))
    assert (steps != np.rint(x / scale)).any()


def test_wrong_types_of_quantized_elements_are_refused(tmp_path):
    data = {"x": X, "scale": np.array(0.1, np.float32), "zero": np.array(1, np.uint8)}
    node = ob.node("QuantizeLinear", "x scale zero", "y", output_dtype=INT8)
    assert refusal(tmp_path, node, data) == (
        "QuantizeLinear (opset 25): its zero points are uint8, and its attribute 'output_dtype' "
        "is int8"
    )
    node = ob.node("QuantizeLinear", "x scale zero", "y", precision=INT8)
    assert refusal(tmp_path, node, data) == (
        "QuantizeLinear (opset 25): its attribute 'precision' is int8, expected floats"
    )


@pytest.mark.parametrize(
    ("op", "names"),
    [("Relu", "x"), ("MatMul", "x w"), ("Shape", "x"), ("Add", "x x"), ("ReduceSum", "x")],
)
def test_an_attribute_that_an_op_does_not_have_is_refused(tmp_path, op, names):
    data = {"x": X} | ({"w": X.T.copy()} if "w" in names else {})
    node = ob.node(op, names, "y", alpah=0.5)
    assert refusal(tmp_path, node, data) == (
        f"{op} (opset 25): its attribute 'alpah' is not supported"
    )


def test_an_attribute_of_known_elements_is_refused(tmp_path):
    node = ob.node("Neg", "x", "y", alpah=1)
    assert "'alpah' is not supported" in refusal(tmp_path, node, {}, known={"x": X})


def test_an_attribute_of_a_loop_is_refused(tmp_path):
    body = ob.graph(
        [ob.node("Identity", "c", "d"), ob.node("Relu", "h", "k")],
        [ob.value("i", [], "int64"), ob.value("c", [], "bool"), ob.value("h", [4, 6])],
        [ob.field(1, "d"), ob.field(1, "k")],
    )
    known = {"n": np.array(3, np.int64), "go": np.array(True)}
    node = ob.node("Loop", "n go x", "y", body=body)
    assert run(tmp_path, node, {"x": X}, known=known)[0].shape == X.shape
    node = ob.node("Loop", "n go x", "y", body=body, unroll=1)
    assert "'unroll' is not supported" in refusal(tmp_path, node, {"x": X}, known=known)


@pytest.mark.parametrize(
    ("op", "attributes"),
    [
        ("Dropout", {"seed": 3}),
        ("Cast", {"to": FLOAT, "saturate": 0}),
        ("ReduceSum", {"noop_with_empty_axes": 1}),
    ],
)
def test_an_attribute_that_changes_nothing_is_read(tmp_path, op, attributes):
    names, known = ("x axes", {"axes": np.array([1])}) if op == "ReduceSum" else ("x", {})
    run(tmp_path, ob.node(op, names, "y", **attributes), {"x": X}, known=known)


@pytest.mark.parametrize(
    ("op", "opset", "attributes"),
    [("Dropout", 6, {"is_test": 1, "ratio": 0.5}), ("Relu", 1, {"consumed_inputs": [0]})],
)
def test_attributes_of_old_opsets_are_read(tmp_path, op, opset, attributes):
    [y] = run(tmp_path, ob.node(op, "x", "y", **attributes), {"x": np.abs(X)}, opset=opset)
    np.testing.assert_array_equal(y, np.abs(X))


def test_a_pool_of_everything_has_no_window(tmp_path):
    x = RNG.normal(size=(1, 2, 5, 5)).astype(np.float32)
    node = ob.node("GlobalAveragePool", "x", "y", kernel_shape=[5, 5])
    [y] = run(tmp_path, node, {"x": x}, dtype="float32")
    np.testing.assert_allclose(y, x.mean((2, 3), keepdims=True), rtol=1e-5)


def test_heads_of_four_axes_are_stated_twice(tmp_path):
    data = {name: RNG.normal(size=(2, 4, 3, 8)).astype(np.float32) for name in "qkv"}
    plain = run(tmp_path, ob.node("Attention", "q k v", "y"), data)
    node = ob.node("Attention", "q k v", "y", q_num_heads=4, kv_num_heads=4)
    np.testing.assert_array_equal(run(tmp_path, node, data), plain)
    node = ob.node("Attention", "q k v", "y", q_num_heads=4, kv_num_heads=2)
    assert refusal(tmp_path, node, data) == (
        "Attention (opset 25): its attribute 'kv_num_heads' is 2, and its input has 4 heads"
    )


def test_windows_of_other_sizes_than_the_weight_are_refused(tmp_path):
    data = {"x": np.ones((1, 2, 5, 5), np.float32), "w": np.ones((3, 2, 3, 2), np.float32)}
    run(tmp_path, ob.node("Conv", "x w", "y", kernel_shape=[3, 2]), data)
    assert refusal(tmp_path, ob.node("Conv", "x w", "y", kernel_shape=[2, 3]), data) == (
        "Conv (opset 25): its attribute 'kernel_shape' is [2, 3], and its weight has the sizes "
        "[3, 2, 3, 2]"
    )


def test_statistics_of_few_bits_are_refused(tmp_path):
    data = {"x": X, "s": np.ones(6, np.float32)}
    run(tmp_path, ob.node("LayerNormalization", "x s", "y", stash_type=FLOAT), data)
    node = ob.node("LayerNormalization", "x s", "y", stash_type=FLOAT16)
    assert refusal(tmp_path, node, data) == (
        "LayerNormalization (opset 25): its attribute 'stash_type' is 10, expected at most 1"
    )


def reals(*numbers):
    packed = struct.pack(f"<{len(numbers)}f", *numbers)
    return ob.field(1, "value_floats") + ob.field(7, packed) + ob.field(20, 6)


@pytest.mark.parametrize(
    ("attribute", "expected"),
    [
        (ob.field(1, "value_int") + ob.content(7), np.int64(7)),
        (ob.field(1, "value_int") + ob.field(20, 2), np.int64(0)),
        (ob.field(1, "value_float") + ob.content(0.5), np.float32(0.5)),
        (ob.field(1, "value_float") + ob.field(20, 1), np.float32(0)),
        (ob.field(1, "value_ints") + ob.content([2, 3]), np.array([2, 3])),
        (ob.field(1, "value_ints") + ob.field(20, 7), np.zeros(0, np.int64)),
        (reals(0.5, 2), np.array([0.5, 2], np.float32)),
        (reals(), np.zeros(0, np.float32)),
    ],
)
def test_constants_without_a_tensor(tmp_path, attribute, expected):
    node = ob.field(2, "c") + ob.field(4, "Constant") + ob.field(5, attribute)
    [y] = run(tmp_path, [node, ob.node("Identity", "c", "y")], {}, dtype="float32")
    assert y.dtype == expected.dtype
    np.testing.assert_array_equal(y, expected)


def test_constants_of_ints_are_known(tmp_path):
    nodes = [
        ob.node("Constant", "", "six", value_int=6),
        ob.node("Constant", "", "shape", value_ints=[-1, 2]),
        ob.node("Mul", "shape six", "wide"),
        ob.node("Div", "wide six", "sizes"),
        ob.node("Reshape", "x sizes", "y"),
    ]
    assert run(tmp_path, nodes, {"x": X})[0].shape == (12, 2)


@pytest.mark.parametrize("op", ["HannWindow", "HammingWindow", "BlackmanWindow"])
def test_a_symmetric_window_of_one_element_is_0_divided_by_0(tmp_path, op):
    """As the functions of ONNX, which divide by the size less one."""
    known = {"n": np.array(1, np.int64)}
    [y] = run(tmp_path, ob.node(op, "n", "y", periodic=0), {}, known=known)
    assert y.shape == (1,) and np.isnan(y).all()


def test_an_input_without_sizes_is_named(tmp_path):
    x = ob.field(1, "x") + ob.field(2, ob.field(1, ob.field(1, FLOAT)))
    nodes = [ob.node("Relu", "x", "h"), ob.node("GlobalAveragePool", "h", "y")]
    (tmp_path / "net.onnx").write_bytes(ob.file(nodes, [x], [ob.field(1, "y")]))
    with pytest.raises(ml.ValueError, match="E1311") as caught:
        ml.from_onnx(tmp_path / "net.onnx")
    assert str(caught.value).splitlines()[1:] == [
        "  node of y : GlobalAveragePool (opset 17): the rank of 'h' is not known; shapes= of an "
        "input states its sizes",
        "  help: the file gives the input 'x' no sizes; state them: "
        'shapes={"x": [None, 3, 224, 224]}, or --shape x=1,3,224,224 of the command',
    ]
    model, _, _ = ml.from_onnx(tmp_path / "net.onnx", shapes={"x": [None, 3, 8, 8]})
    assert model.input_keys == ["x"]
