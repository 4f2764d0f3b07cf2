"""Convolutions of integers after `ml.to_onnx`: the same sums, of ops that runtimes have."""

import warnings

import numpy as np
import onnx_bytes as ob
import pytest

import mithril as ml

KERNELS = {1: [4, 3, 3], 2: [4, 3, 3, 3], 3: [4, 3, 2, 2, 2]}
INPUTS = {1: [1, 3, 8], 2: [1, 3, 8, 7], 3: [1, 3, 5, 6, 7]}


def integers(seed: int, shape, low: int, high: int, dtype: str):
    return np.random.default_rng(seed).integers(low, high, shape).astype(dtype)


def written_again(tmp_path, content, data):
    """Reads and writes a file, and returns the bytes, the results before and those after."""
    given, made = tmp_path / "given.onnx", tmp_path / "made.onnx"
    given.write_bytes(content)
    net = ml.from_onnx(given)
    compiled = ml.compile(net.model, ml.CpuBackend(), data_keys=list(data))
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # ONNX Runtime has the kernels
        ml.to_onnx(compiled, made, net.params, opset=20, data=data)
    again = ml.from_onnx(made)
    back = ml.compile(again.model, ml.CpuBackend(), data_keys=list(data))
    expected = compiled.evaluate(net.params, data)
    return made.read_bytes(), expected, back.evaluate(again.params, data)


def conv_integer(tmp_path, x, known, rank=2, **attributes):
    names = " ".join(["x", *known])
    node = ob.node("ConvInteger", names, "y", **attributes)
    out = [1, 4, *["s"] * rank]
    inputs = [ob.value("x", list(x.shape), x.dtype.name)]
    content = ob.file([node], inputs, [ob.value("y", out, "int32")], known, opset=20)
    made = written_again(tmp_path, content, {"x": x})
    assert_same(made[1], made[2])
    return made[0]


def assert_same(expected, got) -> None:
    for key, array in expected.items():
        assert np.asarray(got[key]).dtype == np.asarray(array).dtype
        np.testing.assert_array_equal(np.asarray(got[key]), np.asarray(array))


@pytest.mark.parametrize("rank", [1, 2, 3])
@pytest.mark.parametrize("dtype", ["uint8", "int8"])
@pytest.mark.parametrize("weight", ["uint8", "int8"])
def test_each_rank_and_dtype(tmp_path, rank, dtype, weight) -> None:
    low, high = {"uint8": (0, 256), "int8": (-128, 128)}[dtype]
    x = integers(0, INPUTS[rank], low, high, dtype)
    low, high = {"uint8": (0, 256), "int8": (-128, 128)}[weight]
    known = {"w": integers(1, KERNELS[rank], low, high, weight), "xz": np.array(11, dtype)}
    written = conv_integer(tmp_path, x, known, rank, pads=[1] * (2 * rank))
    assert b"ConvInteger" in written


@pytest.mark.parametrize("zeros", [[3, 3, 3, 3], [1, -2, 3, 4]])
def test_zero_points_of_channels(tmp_path, zeros) -> None:
    x = integers(0, INPUTS[2], 0, 256, "uint8")
    known = {
        "w": integers(1, KERNELS[2], -100, 100, "int8"),
        "xz": np.array(255, np.uint8),
        "wz": np.array(zeros, np.int8),
    }
    assert b"ConvInteger" in conv_integer(tmp_path, x, known)


def test_wide_differences_of_weights_are_sums_of_float32(tmp_path) -> None:
    weight = integers(1, KERNELS[2], -128, 128, "int8")
    weight[:, 0, 0, :2] = [-128, 127]
    zeros = np.array([-100, 100, 0, 0], np.int8)
    x = integers(0, INPUTS[2], 0, 256, "uint8")
    written = conv_integer(tmp_path, x, {"w": weight, "xz": np.array(0, np.uint8), "wz": zeros})
    assert b"ConvInteger" not in written
    assert b"Conv" in written


def test_large_weights(tmp_path) -> None:
    """Compiling leaves their differences with zero points to the runtime."""
    x = integers(0, [1, 64, 6, 6], 0, 256, "uint8")
    known = {
        "w": integers(1, [4, 64, 5, 5], -60, 60, "int8"),
        "xz": np.array(7, np.uint8),
        "wz": np.array([1, 2, 3, 4], np.int8),
    }
    written = conv_integer(tmp_path, x, known)
    assert b"ConvInteger" in written
    assert len(written) < 2 * known["w"].nbytes


def test_quantised_inputs_have_zero_points_that_data_decides(tmp_path) -> None:
    nodes = [
        ob.node("DynamicQuantizeLinear", "f", "x s z"),
        ob.node("ConvInteger", "x w z", "c", group=3, strides=[2, 1]),
        ob.node("Cast", "c", "cf", to=1),
        ob.node("Mul", "cf s", "y"),
    ]
    known = {"w": integers(1, [6, 1, 3, 3], -128, 128, "int8")}
    data = {"f": np.random.default_rng(2).normal(size=INPUTS[2]).astype(np.float32)}
    inputs, outputs = [ob.value("f", INPUTS[2])], [ob.value("y", [1, 6, 3, 5])]
    written, expected, got = written_again(
        tmp_path, ob.file(nodes, inputs, outputs, known, opset=20), data
    )
    assert b"ConvInteger" in written
    assert_same(expected, got)


@pytest.mark.parametrize("dtype", ["uint8", "int8"])
@pytest.mark.parametrize("has_bias", [False, True])
def test_quantised_convolutions(tmp_path, dtype, has_bias) -> None:
    low, high = {"uint8": (0, 256), "int8": (-128, 128)}[dtype]
    known = {
        "xs": np.array(0.05, np.float32),
        "xz": np.array(5, dtype),
        "w": integers(1, KERNELS[2], -128, 128, "int8"),
        "ws": np.array([0.01, 0.02, 0.03, 0.04], np.float32),
        "wz": np.array([0, 0, 0, 0], np.int8),
        "ys": np.array(0.7, np.float32),
        "yz": np.array(9, dtype),
        "b": np.array([1000, -70000, 2**30, -(2**30)], np.int32),
    }
    if not has_bias:
        del known["b"]
    names = "x xs xz w ws wz ys yz" + (" b" if has_bias else "")
    nodes = [ob.node("QLinearConv", names, "y", pads=[1, 1, 1, 1])]
    data = {"x": integers(0, INPUTS[2], low, high, dtype)}
    inputs = [ob.value("x", INPUTS[2], dtype)]
    outputs = [ob.value("y", [1, 4, 8, 7], dtype)]
    written, expected, got = written_again(
        tmp_path, ob.file(nodes, inputs, outputs, known, opset=20), data
    )
    assert b"ConvInteger" in written
    assert_same(expected, got)


def test_convolutions_of_doubles_stay(tmp_path) -> None:
    model = ml.Convolution2D(kernel_size=3, out_channels=2, use_bias=False)
    compiled = ml.compile(
        model,
        ml.CpuBackend(dtype=ml.float64),
        data_keys=["input"],
        shapes={"input": [1, 3, 5, 5]},
    )
    params = compiled.randomize_params(0)
    ml.to_onnx(compiled, tmp_path / "net.onnx", params, check=False)
    assert b"ConvInteger" not in (tmp_path / "net.onnx").read_bytes()
