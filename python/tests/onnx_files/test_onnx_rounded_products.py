"""Quantised products of ONNX files, compared with NumPy."""

import numpy as np
import onnx_bytes as ob
import pytest

import mithril as ml

RNG = np.random.default_rng(0)


def run(tmp_path, node, data, known, dtype="uint8"):
    """The output y of a file with one node."""
    inputs = [ob.value(name, list(x.shape), x.dtype.name) for name, x in data.items()]
    stated = ob.field(2, ob.field(1, ob.field(1, ob.TYPES[dtype])))
    (tmp_path / "net.onnx").write_bytes(
        ob.file([node], inputs, [ob.field(1, "y") + stated], known, opset=21)
    )
    model, params, _ = ml.from_onnx(tmp_path / "net.onnx")
    compiled = ml.compile(model, ml.CpuBackend(), inference=True)
    return np.asarray(compiled.evaluate(params, data)["y"])


def requantized(product, factor, zero):
    return np.clip(np.rint(product * factor) + zero, 0, 255).astype(np.uint8)


def numbers(*shape, dtype="uint8"):
    limits = np.iinfo(dtype)
    return RNG.integers(limits.min, limits.max + 1, shape).astype(dtype)


@pytest.mark.parametrize("by_row", [False, True])
def test_a_product_is_rounded_and_has_its_zero_point(tmp_path, by_row):
    data = {"a": numbers(3, 4), "b": numbers(4, 5, dtype="int8")}
    rows, columns = (3, 5) if by_row else ((), ())
    known = {
        "as": RNG.uniform(0.01, 0.02, rows).astype(np.float32),
        "az": numbers(rows) if by_row else np.uint8(7),
        "bs": RNG.uniform(0.01, 0.02, columns).astype(np.float32),
        "bz": numbers(columns, dtype="int8") if by_row else np.int8(-3),
        "ys": np.float32(0.03),
        "yz": np.uint8(121),
    }
    known = {key: np.asarray(value) for key, value in known.items()}
    node = ob.node("QLinearMatMul", "a as az b bs bz ys yz", "y")
    down = (slice(None), None) if by_row else ...
    a = data["a"].astype(np.int64) - known["az"].astype(np.int64)[down]
    b = data["b"].astype(np.int64) - known["bz"].astype(np.int64)
    factor = known["as"][down] * known["bs"] / known["ys"]
    assert (run(tmp_path, node, data, known) == requantized(a @ b, factor, 121)).all()


def test_a_convolution_has_scales_of_channels_and_a_bias(tmp_path):
    data = {"x": numbers(2, 3, 5)}
    known = {
        "xs": np.float32(0.02),
        "xz": np.uint8(9),
        "w": numbers(4, 3, 2, dtype="int8"),
        "ws": RNG.uniform(0.01, 0.02, 4).astype(np.float32),
        "wz": np.zeros(4, np.int8),
        "ys": np.float32(0.1),
        "yz": np.uint8(128),
        "b": RNG.integers(-500, 500, 4).astype(np.int32),
    }
    known = {key: np.asarray(value) for key, value in known.items()}
    node = ob.node("QLinearConv", "x xs xz w ws wz ys yz b", "y", pads=[1, 0])
    x = np.pad(data["x"].astype(np.int64) - 9, [(0, 0), (0, 0), (1, 0)])
    windows = np.stack([x[:, :, i : i + 2] for i in range(5)], axis=1)
    product = np.einsum("ntck,fck->nft", windows, known["w"].astype(np.int64))
    product += known["b"][:, None]
    factor = (known["xs"] * known["ws"] / known["ys"])[:, None]
    assert (run(tmp_path, node, data, known) == requantized(product, factor, 128)).all()


@pytest.mark.parametrize("op", ["MatMulInteger", "QLinearMatMul"])
@pytest.mark.parametrize("shapes", [((4,), (4, 5)), ((3, 4), (4,)), ((4,), (4,))])
@pytest.mark.parametrize("point", [(), (1,)])
def test_vectors_are_multiplied_as_in_numpy(tmp_path, op, shapes, point):
    data = {"a": numbers(*shapes[0]), "b": numbers(*shapes[1], dtype="int8")}
    known = {
        "as": np.full(point, 0.1, np.float32),
        "az": np.full(point, 3, np.uint8),
        "bs": np.full(point, 0.1, np.float32),
        "bz": np.full(point, -2, np.int8),
        "ys": np.float32(2),
        "yz": np.uint8(100),
    }
    known = {key: np.asarray(value) for key, value in known.items()}
    wanted = np.matmul(data["a"].astype(np.int64) - 3, data["b"].astype(np.int64) + 2)
    if op == "MatMulInteger":
        known = {key: known[key] for key in ("az", "bz")}
        got = run(tmp_path, ob.node(op, "a b az bz", "y"), data, known, "int32")
    else:
        node = ob.node(op, "a as az b bs bz ys yz", "y")
        got = run(tmp_path, node, data, known)
        wanted = requantized(wanted, np.float32(0.1) * np.float32(0.1) / np.float32(2), 100)
    assert got.shape == wanted.shape
    assert (got == wanted).all()
