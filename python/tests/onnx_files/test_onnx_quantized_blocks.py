"""Blocks of scales in QuantizeLinear and DequantizeLinear, compared with NumPy."""

import numpy as np
import onnx_bytes as ob
import pytest
from onnx_nodes import refusal, run

import mithril as ml

RNG = np.random.default_rng(0)


def wide(x, block, axis, size):
    return np.repeat(x, block, axis).take(range(size), axis)


@pytest.mark.parametrize(("axis", "block"), [(0, 2), (1, 3), (1, 2), (-1, 4)])
@pytest.mark.parametrize("has_zero", [False, True])
def test_each_block_has_a_scale(tmp_path, axis, block, has_zero):
    dims = [4, 5, 6]
    dims[axis] = -(-dims[axis] // block)
    x, scale = RNG.normal(size=(4, 5, 6)), RNG.uniform(0.01, 0.1, dims)
    zero = RNG.integers(0, 9, dims).astype(np.uint8)
    size = x.shape[axis]
    steps = np.rint(x / wide(scale, block, axis, size))
    shift = wide(zero, block, axis, size) if has_zero else 0
    wanted = np.clip(steps + shift, 0, 255).astype(np.uint8)
    data = {"x": x, "scale": scale} | ({"zero": zero} if has_zero else {})
    names = "scale zero" if has_zero else "scale"
    options = {"axis": axis, "block_size": block}
    [q] = run(tmp_path, ob.node("QuantizeLinear", f"x {names}", "y", **options), data)
    np.testing.assert_array_equal(q, wanted)
    node = ob.node("DequantizeLinear", f"x {names}", "y", **options)
    [y] = run(tmp_path, node, data | {"x": wanted})
    back = (wanted.astype(np.float64) - shift) * wide(scale, block, axis, size)
    np.testing.assert_allclose(y, back, rtol=1e-12)


@pytest.mark.parametrize("dtype", ["int8", "uint8"])
@pytest.mark.parametrize("has_zero", [False, True])
@pytest.mark.parametrize("scales", [(), (64,), (64, 4)])
def test_dequantised_weights_are_parameters(tmp_path, dtype, has_zero, scales):
    """The weights are trained, and not their scales."""
    limits = np.iinfo(dtype)
    known = {
        "q": RNG.integers(limits.min, limits.max + 1, (64, 128)).astype(dtype),
        "s": RNG.uniform(0.01, 0.1, scales).astype(np.float32),
        "z": np.ones(scales, dtype),
    }
    options = {"axis": 1, "block_size": 32} if len(scales) == 2 else {"axis": 0}
    node = ob.node("DequantizeLinear", "q s z" if has_zero else "q s", "w", **options)
    product = ob.node("MatMul", "x w", "y")
    file = ob.file([node, product], [ob.value("x", [2, 64])], [ob.value("y", [2, 128])], known)
    (tmp_path / "net.onnx").write_bytes(file)
    _, params, _ = ml.from_onnx(tmp_path / "net.onnx")
    assert list(params) == ["w"]


def test_blocks_of_another_rank_are_refused(tmp_path):
    data = {"x": RNG.normal(size=(4, 6)), "scale": RNG.uniform(size=2)}
    node = ob.node("QuantizeLinear", "x scale", "y", axis=1, block_size=3)
    reason = "QuantizeLinear (opset 25): its scales have another rank than its input"
    assert refusal(tmp_path, node, data) == reason


@pytest.mark.parametrize("has_zero", [False, True])
@pytest.mark.parametrize(
    ("axis", "block", "scales"),
    [
        (0, 0, []),
        (0, 0, [1]),
        (0, 0, [1537]),
        (1, 0, [1024]),
        (0, 100, [16, 1024]),
        (1, 256, [1537, 4]),
    ],
)
def test_large_weights_are_dequantised(tmp_path, has_zero, axis, block, scales):
    """Weights above a million elements are dequantised in pieces."""
    known = {
        "q": RNG.integers(-128, 128, (1537, 1024)).astype(np.int8),
        "s": RNG.uniform(0.01, 0.1, scales).astype(np.float32),
        "z": RNG.integers(-9, 9, scales).astype(np.int8),
    }
    options = {"axis": axis} | ({"block_size": block} if block else {})
    node = ob.node("DequantizeLinear", "q s z" if has_zero else "q s", "w", **options)
    product = ob.node("MatMul", "x w", "y")
    made = ob.file([node, product], [ob.value("x", [2, 1537])], [ob.value("y", [2, 1024])], known)
    (tmp_path / "net.onnx").write_bytes(made)
    _, params, _ = ml.from_onnx(tmp_path / "net.onnx")
    scale, zero = known["s"], known["z"].astype(np.float32)
    if block:
        size = known["q"].shape[axis]
        scale, zero = wide(scale, block, axis, size), wide(zero, block, axis, size)
    elif axis == 0 and len(scales) == 1:
        scale, zero = scale[:, None], zero[:, None]
    wanted = (known["q"] - (zero if has_zero else 0)).astype(np.float32) * scale
    np.testing.assert_array_equal(np.asarray(params["w"]), wanted)


def test_large_weights_with_other_scales_are_refused(tmp_path):
    known = {"q": np.ones((1537, 1024), np.int8), "s": np.ones(1536, np.float32)}
    nodes = [ob.node("DequantizeLinear", "q s", "w", axis=0), ob.node("MatMul", "x w", "y")]
    made = ob.file(nodes, [ob.value("x", [2, 1537])], [ob.value("y", [2, 1024])], known)
    (tmp_path / "net.onnx").write_bytes(made)
    with pytest.raises(ml.ValueError, match="axis 0 of its input 1 has 1536 elements"):
        ml.from_onnx(tmp_path / "net.onnx")


@pytest.mark.parametrize("rows", [3, 1100])
def test_the_zero_point_of_known_weights_may_be_an_input(tmp_path, rows):
    weight = RNG.integers(-128, 128, (rows, 1024)).astype(np.int8)
    known = {"w": weight, "scale": np.array(0.25, np.float32)}
    nodes = [ob.node("DequantizeLinear", "w scale zero", "y")]
    outputs = [ob.value("y", [rows, 1024])]
    made = ob.file(nodes, [ob.value("zero", [], "int8")], outputs, known)
    (tmp_path / "net.onnx").write_bytes(made)
    model, params, _ = ml.from_onnx(tmp_path / "net.onnx")
    compiled = ml.compile(model, ml.CpuBackend(), inference=True)
    y = compiled.evaluate(params, {"zero": np.array(-3, np.int8)})["y"]
    np.testing.assert_array_equal(np.asarray(y), (weight.astype(np.float32) + 3) * 0.25)
