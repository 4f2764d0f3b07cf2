"""Wrong ONNX files are refused with a reason: none ends the process or runs for long."""

from itertools import pairwise

import numpy as np
import onnx_bytes as ob
import pytest

import mithril as ml

HUGE = 2**40
X4 = [2, 4, 6, 6]


def output(name="y", dtype="float32"):
    """An output without a shape."""
    return ob.field(1, name) + ob.field(2, ob.field(1, ob.field(1, ob.TYPES[dtype])))


def refused(tmp_path, nodes, inputs, known=None, opset=17):
    """The text of the error of this file. Inputs have dims, and a dtype after them."""
    path = tmp_path / "net.onnx"
    stated = []
    for name, dims in inputs.items():
        dtype = dims[-1] if dims and dims[-1] in ob.TYPES else "float32"
        stated.append(ob.value(name, [d for d in dims if d != dtype], dtype))
    path.write_bytes(ob.file(nodes, stated, [output()], known, opset))
    with pytest.raises(ml.Error) as caught:
        ml.from_onnx(path)
    return str(caught.value)


def ints(*numbers):
    return np.array(numbers, np.int64)


def floats(*numbers):
    return np.array(numbers, np.float32)


def zeros(*dims):
    return np.zeros(dims, np.float32)


# Op, attributes, dims of x, known inputs, opset, and the reason.
ROWS = [
    ("BatchNormalization", {"training_mode": 1}, [], {"s": zeros(3)}, 17, "has 0 axes"),
    ("BatchNormalization", {"training_mode": 1}, [3], {"s": zeros(3)}, 17, "has 1 axes"),
    ("BatchNormalization", {}, X4, {"s": zeros(4)}, 6, "is_test=0 is not supported"),
    ("InstanceNormalization", {}, [], {"s": zeros(3), "b": zeros(3)}, 17, "has 0 axes"),
    ("LRN", {"size": 3}, [3], {}, 17, "has 1 axes, expected at least 2"),
    ("LRN", {"size": HUGE}, X4, {}, 17, "'size' is 1099511627776, expected at most 4096"),
    ("DepthToSpace", {"blocksize": 0}, X4, {}, 17, "'blocksize' is 0, expected at least 1"),
    ("SpaceToDepth", {"blocksize": 0}, X4, {}, 17, "'blocksize' is 0, expected at least 1"),
    ("SpaceToDepth", {"blocksize": 4}, X4, {}, 17, "a size of 6 is not a multiple of 4"),
    ("Split", {"num_outputs": 0}, [4], {}, 18, "'num_outputs' is 0, and it has 1 outputs"),
    ("Split", {"num_outputs": HUGE}, [4], {}, 18, "and it has 1 outputs"),
    ("Split", {}, [4], {"s": ints(3)}, 17, "its parts have 3 elements of 4"),
    ("Split", {}, [4], {"s": ints(-4)}, 17, "its split is -4, expected at least 0"),
    ("Split", {}, [4], {"s": ints(2, 2)}, 17, "its split has 2 elements, expected 1"),
    ("Pad", {"mode": "wrap"}, [0], {"p": ints(1, 1)}, 19, "an axis of size 0"),
    ("Pad", {"mode": "edge"}, [0], {"p": ints(1, 1)}, 17, "an axis of size 0"),
    ("Pad", {"mode": "reflect"}, [3], {"p": ints(2**33, 0)}, 17, "its pads is 8589934592"),
    ("Pad", {"mode": "edge"}, [3], {"p": ints(2**30, 2**30)}, 17, "padded size is 2147483651"),
    ("Pad", {}, [3], {"p": ints(1)}, 17, "its pads has 1 elements, expected 2"),
    (
        "MaxPool",
        {"kernel_shape": [2, 2], "strides": [0, 1], "auto_pad": "SAME_UPPER"},
        X4,
        {},
        17,
        "'strides' is 0, expected at least 1",
    ),
    (
        "AveragePool",
        {"kernel_shape": [2, 2], "strides": [0, 1], "ceil_mode": 1},
        X4,
        {},
        19,
        "'strides' is 0, expected at least 1",
    ),
    ("MaxPool", {"kernel_shape": [2, 2, 2]}, X4, {}, 17, "has 4 elements, expected 5"),
    ("MaxPool", {"kernel_shape": [2]}, [4, 4], {}, 17, "has 2 axes, expected at least 3"),
    ("MaxPool", {"kernel_shape": [0, 2]}, X4, {}, 17, "its kernel is 0, expected at least 1"),
    ("LpPool", {"kernel_shape": [2, 2], "dilations": [1]}, X4, {}, 17, "has 1 elements"),
    ("Conv", {}, X4, {"w": zeros(4)}, 17, "its weight has 1 axes, expected at least 3"),
    ("Conv", {}, [2, 4, 6], {"w": zeros(4, 4, 3, 3)}, 17, "has 3 elements, expected 4"),
    ("Conv", {"auto_pad": b"\xff"}, X4, {"w": zeros(4, 4, 3, 3)}, 17, "is not text in UTF-8"),
    ("ConvTranspose", {}, X4, {"w": zeros(4)}, 17, "has 1 axes, expected at least 3"),
    (
        "ConvTranspose",
        {"pads": [1]},
        X4,
        {"w": zeros(4, 4, 3, 3)},
        17,
        "'pads' has 1 elements, expected 4",
    ),
    ("ConvTranspose", {"dilations": [1]}, X4, {"w": zeros(4, 4, 3, 3)}, 17, "'dilations' has 1"),
    (
        "ConvTranspose",
        {"output_shape": [1]},
        X4,
        {"w": zeros(4, 4, 3, 3)},
        17,
        "'output_shape' has 1 elements",
    ),
    (
        "ConvTranspose",
        {"output_padding": [1]},
        X4,
        {"w": zeros(4, 4, 3, 3)},
        17,
        "'output_padding' has 1 elements",
    ),
    (
        "ConvTranspose",
        {"auto_pad": "SAME_UPPER"},
        [4, 6],
        {"w": zeros(4, 4, 3, 3)},
        17,
        "has 2 axes, expected 4",
    ),
    ("LSTM", {}, [3, 1, 2], {"w": zeros(1, 8, 2), "r": zeros(8, 2)}, 17, "has 2 axes, expected 3"),
    (
        "LSTM",
        {"direction": "sideways"},
        [3, 1, 2],
        {"w": zeros(1, 8, 2), "r": zeros(1, 8, 2)},
        17,
        "its direction is sideways",
    ),
    (
        "LSTM",
        {"direction": "bidirectional"},
        [3, 1, 2],
        {"w": zeros(1, 8, 2), "r": zeros(1, 8, 2)},
        17,
        "axis 0 of its input 'w' has 1 elements, expected 2",
    ),
    (
        "GRU",
        {},
        [3, 1, 2],
        {"w": zeros(3, 6, 2), "r": zeros(3, 6, 2)},
        17,
        "axis 0 of its input 'w' has 3 elements, expected 1",
    ),
    (
        "RNN",
        {},
        [3, 1, 0],
        {"w": zeros(2**20, 2, 0), "r": zeros(2**20, 2, 2)},
        17,
        "axis 0 of its input 'w' has 1048576 elements, expected 1",
    ),
    (
        "LSTM",
        {"hidden_size": 3},
        [3, 1, 2],
        {"w": zeros(1, 8, 2), "r": zeros(1, 8, 2)},
        17,
        "'hidden_size' is 3, and R has 2 units",
    ),
    ("GatherND", {}, [4, 4], {"i": np.array(1)}, 17, "has 0 axes, expected at least 1"),
    ("GatherND", {"batch_dims": -1}, [4, 4], {"i": ints(1)}, 17, "'batch_dims' is -1"),
    ("GatherND", {"batch_dims": 100}, [4, 4], {"i": ints(1)}, 17, "'batch_dims' is 100"),
    ("GatherND", {}, [4], {"i": ints(0, 0)}, 17, "a tuple is 2, expected at most 1"),
    ("GatherND", {}, [4], {"i": ints()}, 17, "a tuple is 0, expected at least 1"),
    ("ScatterND", {}, [4], {"i": np.array(1), "u": zeros(1)}, 17, "has 0 axes"),
    ("ScatterND", {}, [4], {"i": ints(0, 0), "u": zeros(1)}, 17, "expected at most 1"),
    ("ScatterND", {}, [4], {"i": ints(), "u": zeros(4)}, 17, "expected at least 1"),
    (
        "ReverseSequence",
        {"batch_axis": -1, "time_axis": 2},
        [2, 3, 4],
        {"n": ints(1, 1)},
        17,
        "its axes are not the first two",
    ),
    ("CenterCropPad", {}, [4, 4], {"s": ints(2)}, 18, "its shape has 1 elements, expected 2"),
    (
        "Resize",
        {"coordinate_transformation_mode": "tf_crop_and_resize"},
        [4],
        {"r": floats(0), "s": floats(2)},
        17,
        "its roi has 1 elements, expected 2",
    ),
    ("Resize", {}, [0], {"s": floats(2)}, 10, "the size of its input is 0"),
    ("Resize", {}, [4], {"r": floats(), "s": floats(1e9)}, 17, "its result is 0"),
    ("Resize", {"mode": "linear"}, [4], {"r": floats(), "s": floats(1e8)}, 17, "too many elements"),
    ("Resize", {}, [4], {"r": floats(), "s": floats(np.nan)}, 17, "its result is 0"),
    ("Resize", {}, [4], {"r": floats(), "s": floats(1e30)}, 17, "its result is 0"),
    (
        "Resize",
        {},
        [4],
        {"r": floats(), "s": floats(), "n": ints(0)},
        17,
        "the size of its result is 0, expected at least 1",
    ),
    ("LeakyRelu", {"alpha": 5}, [4], {}, 17, "its attribute 'alpha' is not a float"),
    ("Softmax", {"axis": 0.0}, [4], {}, 17, "its attribute 'axis' is not an int"),
    ("Transpose", {"perm": 0}, [4], {}, 17, "its attribute 'perm' is not a list of ints"),
    ("MaxPool", {"kernel_shape": [1], "auto_pad": 3}, [1, 1, 4], {}, 17, "is not text"),
    ("Exp", {}, [4, "int32"], {}, 17, "its input is int32, and it computes with floats"),
    ("Sqrt", {}, [4, "int32"], {}, 17, "put a Cast before it"),
    ("Sigmoid", {}, [4, "int64"], {}, 17, "its input is int64"),
    ("Softmax", {}, [4, "int32"], {}, 17, "its input is int32"),
    ("Add", {"axis": 0.0}, [4], {"z": zeros(4)}, 6, "its attribute 'axis' is not an int"),
    ("Einsum", {"equation": "a" * 600}, [4], {}, 17, "its equation is 600, expected at most 512"),
    (
        "ConvTranspose",
        {"strides": [2**31 - 1], "output_shape": [2**31 - 1]},
        [1, 4, HUGE],
        {"w": zeros(4, 4, 3)},
        17,
        "a size of 'x' is 1099511627776, expected at most 2147483647",
    ),
    (
        "DequantizeLinear",
        {},
        [4, 1, "int8"],
        {"s": zeros(3)},
        17,
        "axis 0 of its input 1 has 3 elements, expected 1",
    ),
    (
        "DequantizeLinear",
        {"axis": 0, "block_size": 2},
        [4, 1, "int8"],
        {"s": zeros(2, 3)},
        21,
        "axis 1 of its input 1 has 3 elements, expected 1",
    ),
    ("TopK", {}, [4], {"k": ints(-3)}, 17, "k is -1, expected at least 0"),
    ("Gemm", {"transB": 1}, [4], {"w": np.float32(1), "b": zeros(4)}, 17, "has 1 axes, expected 2"),
]


@pytest.mark.parametrize("row", ROWS, ids=[f"{row[0]}-{i}" for i, row in enumerate(ROWS)])
def test_a_wrong_node_is_refused(tmp_path, row):
    op, attributes, dims, known, opset, reason = row
    names = " ".join(["x", *known])
    if op == "BatchNormalization":
        names = "x s s s s"
    error = refused(tmp_path, [ob.node(op, names, "y", **attributes)], {"x": dims}, known, opset)
    assert error.startswith(f"mithril.ValueError[E1311]: {tmp_path}/net.onnx: the file cannot")
    assert f"node of y : {op} (opset {opset}): " in error
    assert reason in error


WRONG_CONSTANTS = [
    (ob.node("Constant", "", "y", value_floats=[1]), "'value_floats' is not a list of floats"),
    (ob.node("ConstantOfShape", "n", "y", value=1), "its attribute 'value' is not a tensor"),
]


@pytest.mark.parametrize(("node", "reason"), WRONG_CONSTANTS, ids=["Constant", "ConstantOfShape"])
def test_constants_of_another_type_are_refused(tmp_path, node, reason):
    assert reason in refused(tmp_path, [node], {}, {"n": ints(2)})


def test_a_cycle_through_a_branch_is_refused(tmp_path):
    branch = ob.graph([ob.node("Relu", "y", "z")], [], [output("z")])
    node = ob.node("If", "cond", "y", then_branch=branch, else_branch=branch)
    error = refused(tmp_path, [node], {}, {"cond": np.array(True)})
    assert error.startswith("mithril.ParseError[E1308]")
    assert "a value depends on itself" in error


def test_branches_that_need_one_another_have_a_limit(tmp_path):
    nodes, known = [], {"cond": np.array(True), "x0": zeros(1)}
    for i in range(1000):
        branch = ob.graph([ob.node("Relu", f"x{i}", "z")], [], [output("z")])
        outputs = f"x{i + 1}" if i < 999 else "y"
        nodes.append(ob.node("If", "cond", outputs, then_branch=branch, else_branch=branch))
    assert "more than 200 nodes with graphs and calls depend on each other" in refused(
        tmp_path, nodes, {}, known
    )


def test_maximal_pools_of_matrices_have_no_indices(tmp_path):
    node = ob.node("MaxPool", "x", "y places", kernel_shape=[2])
    assert "has 2 axes, expected at least 3" in refused(tmp_path, [node], {"x": [4, 4]})


def shape_nodes(*nodes):
    return [ob.node("Shape", "x", "s"), *nodes]


def test_vectors_of_sizes_have_a_limit(tmp_path):
    names = ["s", *(f"s{i}" for i in range(39)), "y"]
    joined = [ob.node("Concat", f"{a} {a}", b, axis=0) for a, b in pairwise(names)]
    error = refused(tmp_path, shape_nodes(*joined), {"x": ["N"]})
    assert "the number of sizes is 8192, expected at most 4096" in error


SIZES = [
    (ob.node("Div", "s k", "y"), {"k": ints(0)}, "it divides a size by 0"),
    (ob.node("Slice", "s k k", "y"), {"k": ints()}, "its input 'starts' has 0 elements"),
    (
        ob.node("Slice", "s a b a k", "y"),
        {"k": ints(), "a": ints(0), "b": ints(1)},
        "its starts, ends, axes and steps have different lengths",
    ),
]


@pytest.mark.parametrize(("node", "known", "reason"), SIZES)
def test_wrong_arithmetic_of_sizes_is_refused(tmp_path, node, known, reason):
    assert reason in refused(tmp_path, shape_nodes(node), {"x": ["N", 3]}, known)


def test_inputs_with_too_many_axes_are_refused(tmp_path):
    error = refused(tmp_path, [ob.node("Relu", "x", "y")], {"x": [1] * 100_000})
    assert "input x : it has 100000 axes, expected at most 64" in error


def test_names_of_sizes_stay_distinct(tmp_path):
    path = tmp_path / "net.onnx"
    inputs = [ob.value("x", ["a.b", "a_b", "a-b", "a.b"])]
    path.write_bytes(ob.file([ob.node("Relu", "x", "y")], inputs, [output()]))
    model, _, _ = ml.from_onnx(path)
    compiled = ml.compile(model, ml.CpuBackend(), inference=True)
    assert compiled.evaluate({}, {"x": np.ones((2, 3, 4, 2), np.float32)})["y"].shape == (
        2,
        3,
        4,
        2,
    )


def test_the_reason_has_both_sides_of_the_conflict(tmp_path):
    error = refused(tmp_path, [ob.node("Add", "x z", "y")], {"x": [2, 3], "z": [4, 5]})
    assert "[2, 3]" in error
    assert "[4, 5]" in error
