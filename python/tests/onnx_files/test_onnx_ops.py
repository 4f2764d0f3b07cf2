"""Ops of ONNX files, compared with NumPy and torch. `make onnx` runs the tests of the package."""

import numpy as np
import onnx_bytes as ob
import pytest

import mithril as ml

RNG = np.random.default_rng(1)
X = RNG.normal(size=(2, 3, 4)).astype(np.float32)
IMAGE = RNG.normal(size=(1, 2, 4, 4)).astype(np.float32)
INTS = np.array([-7, 7, -6, 6], np.int32)


def run(tmp_path, nodes, inputs, initializers=None, **options):
    """The output y of the nodes for these arrays. Options: output, its dtype, and opset."""
    path = tmp_path / "net.onnx"
    stated = [ob.value(name, list(x.shape), x.dtype.name) for name, x in inputs.items()]
    outputs = [y_of(options.get("output", "float32"))]
    opset = options.get("opset", 17)
    path.write_bytes(ob.file(nodes, stated, outputs, initializers, opset))
    model, params, _ = ml.from_onnx(path)
    compiled = ml.compile(model, ml.CpuBackend(), inference=True)
    return np.asarray(compiled.evaluate(params, inputs)["y"])


def y_of(dtype):
    """An output y without a shape."""
    return ob.field(1, "y") + ob.field(2, ob.field(1, ob.field(1, ob.TYPES[dtype])))


ROWS = [
    (
        ob.node("Softmax", "x", "y", axis=1),
        12,
        lambda x: softmax(x.reshape(2, 12)).reshape(x.shape),
    ),
    (ob.node("Softmax", "x", "y", axis=1), 13, lambda x: softmax(x, 1)),
    (ob.node("ReduceSum", "x", "y", axes=[0, 2], keepdims=0), 12, lambda x: x.sum((0, 2))),
    (ob.node("ReduceMax", "x", "y"), 17, lambda x: x.max(keepdims=True)),
    (ob.node("Ceil", "x", "y"), 17, np.ceil),
    (ob.node("Asinh", "x", "y"), 17, np.arcsinh),
    (ob.node("Transpose", "x", "y", perm=[2, 0, 1]), 17, lambda x: x.transpose(2, 0, 1)),
    (ob.node("Slice", "x", "y", starts=[1], ends=[100], axes=[2]), 9, lambda x: x[:, :, 1:]),
    (ob.node("Flatten", "x", "y", axis=2), 17, lambda x: x.reshape(6, 4)),
    (ob.node("Unsqueeze", "x", "y", axes=[0, 4]), 11, lambda x: x[None, ..., None]),
]


def softmax(x, axis=-1):
    shifted = np.exp(x - x.max(axis, keepdims=True))
    return shifted / shifted.sum(axis, keepdims=True)


@pytest.mark.parametrize(("node", "opset", "function"), ROWS)
def test_an_op_has_the_results_of_numpy(tmp_path, node, opset, function):
    result = run(tmp_path, [node], {"x": X}, opset=opset)
    np.testing.assert_allclose(result, function(X), rtol=1e-5, atol=1e-6)


def test_batch_norm_of_opset_6_uses_the_statistics_of_the_file(tmp_path):
    names = ("scale", "bias", "mean", "variance")
    known = {name: RNG.uniform(0.5, 2, size=3).astype(np.float32) for name in names}
    scale, bias, mean, variance = (each[:, None] for each in known.values())
    node = ob.node("BatchNormalization", "x scale bias mean variance", "y", is_test=1)
    result = run(tmp_path, [node], {"x": X}, known, opset=6)
    expected = (X - mean) / np.sqrt(variance + 1e-5) * scale + bias
    np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-6)


def test_a_split_needs_no_other_size_than_that_of_its_axis(tmp_path):
    path = tmp_path / "net.onnx"
    node = ob.node("Split", "x", "y z", axis=1, num_outputs=2)
    path.write_bytes(ob.file([node], [ob.value("x", ["N", 4])], [y_of("float32")], None, 18))
    model, params, _ = ml.from_onnx(path)
    x = RNG.normal(size=(3, 4)).astype(np.float32)
    result = ml.compile(model, ml.CpuBackend()).evaluate(params, {"x": x})["y"]
    np.testing.assert_array_equal(result, x[:, :2])


def test_the_quotient_of_ints_is_rounded_towards_zero(tmp_path):
    divisor = np.array([2, 2, 4, 4], np.int32)
    result = run(tmp_path, [ob.node("Div", "a b", "y")], {"a": INTS, "b": divisor}, output="int32")
    assert result.dtype == np.int32
    np.testing.assert_array_equal(result, [-3, 3, -1, 1])


def test_a_slice_goes_backwards(tmp_path):
    limits = {"from": [3], "to": [-100], "axes": [2], "steps": [-2]}
    known = {name: np.array(each, np.int64) for name, each in limits.items()}
    result = run(tmp_path, [ob.node("Slice", "x from to axes steps", "y")], {"x": X}, known)
    np.testing.assert_array_equal(result, X[:, :, 3::-2])


def test_windows_are_cut_at_the_end_with_ceil_mode(tmp_path):
    torch = pytest.importorskip("torch", reason="torch is not installed")
    node = ob.node("MaxPool", "x", "y", kernel_shape=[3, 3], strides=[2, 2], ceil_mode=1)
    expected = torch.nn.functional.max_pool2d(torch.tensor(IMAGE), 3, 2, ceil_mode=True)
    np.testing.assert_array_equal(run(tmp_path, [node], {"x": IMAGE}), expected.numpy())


def test_resize_doubles_an_image(tmp_path):
    scales = {"scales": np.array([1, 1, 2, 2], np.float32)}
    result = run(tmp_path, [ob.node("Resize", "x scales", "y")], {"x": IMAGE}, scales, opset=10)
    np.testing.assert_array_equal(result, IMAGE.repeat(2, 2).repeat(2, 3))


@pytest.mark.parametrize("kind", ["LSTM", "GRU"])
def test_a_recurrent_layer_has_the_results_of_torch(tmp_path, kind):
    torch = pytest.importorskip("torch", reason="torch is not installed")
    torch.manual_seed(0)
    layer = getattr(torch.nn, kind)(4, 5, bidirectional=True)
    order = {"LSTM": [0, 3, 1, 2], "GRU": [1, 0, 2]}[kind]  # of the gates of torch in ONNX

    def gates(prefix):
        halves = [getattr(layer, f"{prefix}_l0{end}").detach() for end in ("", "_reverse")]
        blocks = [torch.cat([half.split(5)[i] for i in order]) for half in halves]
        return torch.stack(blocks).numpy()

    biases = np.concatenate([gates("bias_ih"), gates("bias_hh")], axis=1)
    known = {"w": gates("weight_ih"), "r": gates("weight_hh"), "b": biases}
    order_of_resets = {"linear_before_reset": 1} if kind == "GRU" else {}
    node = ob.node(kind, "x w r b", "y", hidden_size=5, **order_of_resets)
    direction = ob.field(1, "direction") + ob.field(4, "bidirectional") + ob.field(20, 3)
    result = run(tmp_path, [node + ob.field(5, direction)], {"x": X}, known)
    expected = layer(torch.tensor(X))[0].detach().numpy()  # [T, N, 2 H]
    np.testing.assert_allclose(
        result.transpose(0, 2, 1, 3).reshape(expected.shape), expected, rtol=1e-5, atol=1e-6
    )


def test_a_quantised_product_is_exact(tmp_path):
    a, b = (RNG.integers(-500, 500, shape).astype(np.float32) for shape in ((3, 7), (7, 2)))
    nodes = [
        ob.node("DynamicQuantizeLinear", "a", "qa sa za"),
        ob.node("DynamicQuantizeLinear", "b", "qb sb zb"),
        ob.node("MatMulInteger", "qa qb za zb", "y"),
    ]

    def quantised(x):
        low, high = min(x.min(), 0), max(x.max(), 0)
        scale = np.float32((high - low) / np.float32(255))
        zero = np.round(-low / scale)
        return np.clip(np.round(x / scale) + zero, 0, 255) - zero

    result = run(tmp_path, nodes, {"a": a, "b": b}, output="int32")
    np.testing.assert_array_equal(result, (quantised(a) @ quantised(b)).astype(np.int32))


@pytest.mark.parametrize("is_open", [False, True])
@pytest.mark.parametrize("widths", [(-1, 2), (3, -4), (-2, -1), (-2, 0)])
@pytest.mark.parametrize("mode", ["wrap", "reflect", "edge"])
def test_negative_pads_remove_elements_before_others_are_repeated(tmp_path, mode, widths, is_open):
    before, after = widths
    row = np.arange(9, dtype=np.float32)
    kept = row[max(-before, 0) : len(row) + min(after, 0)]
    node = ob.node("Pad", "x p", "y", mode=mode)
    path = tmp_path / "net.onnx"
    stated = [ob.value("x", ["N"] if is_open else [9], "float32")]
    known = {"p": np.array(widths)}
    path.write_bytes(ob.file([node], stated, [y_of("float32")], known, 19))
    net = ml.from_onnx(path)
    compiled = ml.compile(net.model, ml.CpuBackend(), inference=True)
    result = np.asarray(compiled.evaluate(net.params, {"x": row})["y"])
    np.testing.assert_array_equal(result, np.pad(kept, np.maximum(widths, 0), mode))


def test_the_sign_of_nan_is_nan(tmp_path):
    x = np.array([np.nan, -2, 0, 3], np.float32)
    y = run(tmp_path, [ob.node("Sign", "x", "y")], {"x": x})
    np.testing.assert_array_equal(y, np.sign(x))


@pytest.mark.parametrize("limits", [{}, {"min": 0.0}, {"max": 1.0}])
def test_clip_before_opset_11_has_the_limits_of_float32(tmp_path, limits):
    largest = float(np.finfo(np.float32).max)
    x = np.array([-np.inf, -1, 0, 5, np.inf, np.nan], np.float32)
    y = run(tmp_path, [ob.node("Clip", "x", "y", **limits)], {"x": x}, opset=6)
    expected = np.clip(x, limits.get("min", -largest), limits.get("max", largest))
    np.testing.assert_array_equal(y, expected)
