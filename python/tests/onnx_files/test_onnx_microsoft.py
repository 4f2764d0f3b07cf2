"""Ops of the domain com.microsoft, compared with NumPy."""

import math

import numpy as np
import onnx_bytes as ob
import pytest

import mithril as ml

RNG = np.random.default_rng(0)


def normal(*shape):
    return RNG.normal(size=shape).astype(np.float32)


def read(tmp_path, node, data, known=None, outputs="y"):
    """A file with one node, as `from_onnx` reads it."""
    path = tmp_path / "net.onnx"
    inputs = [ob.value(name, list(x.shape), x.dtype.name) for name, x in data.items()]
    stated = ob.field(2, ob.field(1, ob.field(1, ob.TYPES["float32"])))
    made = [ob.field(1, name) + stated for name in outputs.split()]
    opset = ob.field(8, ob.field(1, "com.microsoft") + ob.field(2, 1))
    domain = ob.field(7, "com.microsoft")
    path.write_bytes(ob.file([node + domain], inputs, made, known) + opset)
    return ml.from_onnx(path)


def run(tmp_path, node, data, known=None, outputs="y"):
    model, params, _ = read(tmp_path, node, data, known, outputs)
    results = ml.compile(model, ml.CpuBackend(), inference=True).evaluate(params, data)
    return [np.asarray(results[name]) for name in outputs.split()]


def assert_near(results, *expected):
    for result, wanted in zip(results, expected, strict=True):
        assert result.shape == wanted.shape
        np.testing.assert_allclose(result, wanted, rtol=1e-4, atol=1e-5)


def gelu(x):
    return x * (1 + np.vectorize(math.erf)(x / math.sqrt(2))) / 2


def bent_gelu(x):
    return x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))) / 2


X, BIAS = normal(2, 3, 4), normal(4)
GELUS = [
    (ob.node("Gelu", "x", "y"), gelu(X)),
    (ob.node("BiasGelu", "x b", "y"), gelu(X + BIAS)),
    (ob.node("FastGelu", "x", "y"), bent_gelu(X)),
    (ob.node("FastGelu", "x b", "y"), bent_gelu(X + BIAS)),
    (ob.node("QuickGelu", "x", "y"), X / (1 + np.exp(-1.702 * X))),
    (ob.node("QuickGelu", "x", "y", alpha=0.5), X / (1 + np.exp(-0.5 * X))),
]


@pytest.mark.parametrize(("node", "expected"), GELUS)
def test_gelus_have_their_formulas(tmp_path, node, expected):
    assert_near(run(tmp_path, node, {"x": X}, {"b": BIAS}), expected)


@pytest.mark.parametrize("flags", range(16))
def test_a_fused_product_transposes_its_operands(tmp_path, flags):
    names = ["transA", "transBatchA", "transB", "transBatchB"]
    on = {name: flags >> i & 1 for i, name in enumerate(names)}
    a, b = normal(2, 3, 4), normal(2, 4, 5)
    given = {"a": a, "b": b}
    for key, of in (("a", "A"), ("b", "B")):
        if on["trans" + of]:
            given[key] = given[key].swapaxes(1, 2)
        if on["transBatch" + of]:
            given[key] = np.moveaxis(given[key], 1, 0)
    node = ob.node("FusedMatMul", "a b", "y", alpha=0.5, **on)
    data = {key: np.ascontiguousarray(value) for key, value in given.items()}
    assert_near(run(tmp_path, node, data), a @ b / 2)


def normalized(x, epsilon):
    centred = x - x.mean(-1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(-1, keepdims=True) + epsilon)


def scaled(x, epsilon):
    return x / np.sqrt((x**2).mean(-1, keepdims=True) + epsilon)


def outputs_of(node):
    """The node with its first output and the fourth, z."""
    return node + b"".join(ob.field(2, name) for name in ("y", "", "", "z"))


def test_norms_of_a_sum_with_a_skipped_value(tmp_path):
    skip, weight, bias = normal(2, 3, 4), normal(4), normal(4)
    known = {"g": weight, "b": bias, "c": BIAS}
    data = {"x": X, "s": skip}
    node = outputs_of(ob.node("SkipLayerNormalization", "x s g b c", "", epsilon=0.5))
    total = X + skip + BIAS
    expected = normalized(total, 0.5) * weight + bias
    assert_near(run(tmp_path, node, data, known, "y z"), expected, total)
    node = ob.node("SkipLayerNormalization", "x s g", "y")
    row = {"x": X, "s": skip[:1]}
    assert_near(run(tmp_path, node, row, known), normalized(X + skip[:1], 1e-12) * weight)
    node = outputs_of(ob.node("SkipSimplifiedLayerNormalization", "x s g c", ""))
    assert_near(run(tmp_path, node, data, known, "y z"), scaled(total, 1e-12) * weight, total)
    node = ob.node("SimplifiedLayerNormalization", "x g", "y", epsilon=0.5)
    assert_near(run(tmp_path, node, {"x": X}, known), scaled(X, 0.5) * weight)


def packed(numbers, bits):
    """Rows of numbers as bytes, the first number in the low bits."""
    count = 8 // bits
    padded = np.pad(numbers, ((0, 0), (0, -numbers.shape[1] % count)))
    parts = padded.reshape(len(numbers), -1, count) << (bits * np.arange(count))
    return parts.sum(-1).astype(np.uint8)


def quantized(bits, zero):
    """A product of 40 columns in blocks of 16: its inputs, and the weight."""
    numbers = RNG.integers(0, 1 << bits, (3, 48))
    scales = normal(3, 3)
    known = {"w": packed(numbers, bits).reshape(3, 3, -1), "s": scales}
    zeros = np.full((3, 3), 1 << (bits - 1))
    if zero == "packed":
        zeros = RNG.integers(0, 1 << bits, (3, 3))
        known["z"] = packed(zeros, bits)
    if zero == "floats":
        known["z"] = zeros = normal(3, 3)
    weight = (numbers.reshape(3, 3, 16) - zeros[..., None]) * scales[..., None]
    return known, weight.reshape(3, 48)[:, :40].astype(np.float32)


@pytest.mark.parametrize("zero", ["", "packed", "floats"])
@pytest.mark.parametrize("bits", [2, 4, 8])
def test_a_weight_of_few_bits_is_a_parameter(tmp_path, bits, zero):
    known, weight = quantized(bits, zero)
    x, bias = normal(2, 3, 40), normal(3)
    names = "x w s z" if zero else "x w s"
    node = ob.node("MatMulNBits", names, "y", K=40, N=3, bits=bits, block_size=16)
    _, params, _ = read(tmp_path, node, {"x": x}, known)
    np.testing.assert_allclose(params["w"], weight, rtol=1e-6)
    assert_near(run(tmp_path, node, {"x": x}, known), x @ weight.T)
    if zero:
        inputs = b"".join(ob.field(1, name) for name in ("x", "w", "s", "z", "", "c"))
        node = inputs + ob.node("MatMulNBits", "", "y", K=40, N=3, bits=bits, block_size=16)
        made = run(tmp_path, node, {"x": x}, {**known, "c": bias})
        assert_near(made, x @ weight.T + bias)


def refusal(tmp_path, node, data, known=None):
    with pytest.raises(ml.ValueError) as caught:
        read(tmp_path, node, data, known)
    return str(caught.value).splitlines()[1].partition(" (opset 1): ")[2]


def test_other_weights_of_few_bits_are_refused(tmp_path):
    known, _ = quantized(4, "")
    x = normal(3, 40)
    sizes = {"K": 40, "N": 3, "block_size": 16}
    node = ob.node("MatMulNBits", "x w s", "y", **sizes, bits=3)
    assert refusal(tmp_path, node, {"x": x}, known) == "its numbers have 3 bits"
    node = ob.node("MatMulNBits", "x w s", "y", **{**sizes, "N": 4})
    expected = "its input 1 has 72 elements, expected 96"
    assert refusal(tmp_path, node, {"x": x}, known) == expected
    node = ob.node("MatMulNBits", "x w s", "y", **sizes)
    data = {"x": x, "w": known["w"].astype(np.int32)}
    reason = "its weight is int32"
    assert refusal(tmp_path, node, data, {"s": known["s"]}) == reason


def bytes_of(x):
    """x as numbers of 8 bits, and the numbers as floats again."""
    low, high = min(x.min(), 0), max(x.max(), 0)
    scale = (high - low) / 255 if high > low else 1
    zero = np.rint(-low / scale)
    return (np.clip(np.rint(x / scale) + zero, 0, 255) - zero) * scale


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


@pytest.mark.parametrize("dtype", ["int8", "uint8"])
@pytest.mark.parametrize("is_of_columns", [False, True])
def test_an_lstm_of_bytes_rounds_its_input_and_its_state(tmp_path, dtype, is_of_columns):
    units, info = 4, np.iinfo(dtype)
    known, weights = {"B": normal(1, 8 * units)}, []
    for name, rows in (("W", 5), ("R", units)):
        numbers = RNG.integers(info.min, info.max + 1, (1, rows, 4 * units)).astype(dtype)
        scale = np.abs(normal(1, 4 * units) if is_of_columns else normal(1)) * np.float32(0.01)
        zero = np.full(scale.shape, 3, dtype)
        known |= {name: numbers, name + "s": scale, name + "z": zero}
        columns = scale.reshape(1, -1)
        weights.append((numbers[0].astype(np.float64) - 3) * columns)
    x = normal(6, 2, 5)
    inputs = ["x", "W", "R", "B", "", "", "", "", "Ws", "Wz", "Rs", "Rz"]
    node = b"".join(ob.field(1, name) for name in inputs)
    node += ob.node("DynamicQuantizeLSTM", "", "y last cell", hidden_size=units)
    made = run(tmp_path, node, {"x": x}, known, "y last cell")
    h = c = np.zeros((2, units))
    bias = known["B"][0].reshape(2, -1).sum(0)
    of_input = bytes_of(x.astype(np.float64)) @ weights[0] + bias
    states = []
    for row in of_input:
        enter, leave, keep, new = np.split(row + bytes_of(h) @ weights[1], 4, axis=-1)
        c = sigmoid(keep) * c + sigmoid(enter) * np.tanh(new)
        h = sigmoid(leave) * np.tanh(c)
        states.append(h)
    for result, wanted in zip(made, (np.array(states)[:, None], h[None], c[None]), strict=True):
        np.testing.assert_allclose(result, wanted, rtol=0, atol=5e-3)


class Runtime:
    """The arithmetic of ONNX Runtime in its layers of bytes: that of float32, in its order."""

    @staticmethod
    def fused(a, b, c):
        """The product of numbers of float32 is exact in float64."""
        return (a.astype(np.float64) * b + np.float64(c)).astype(np.float32)

    @classmethod
    def quotient(cls, x, p, q):
        square, (above, below) = x * x, (np.float32(p), np.float32(q))
        sums = []
        for first, *rest in (above, below):
            total = np.full_like(x, first)
            for coefficient in rest:
                total = cls.fused(total, square, coefficient)
            sums.append(total)
        return x * sums[0] / sums[1]

    @classmethod
    def sigmoid(cls, x):
        p = [4.37031012579801e-11, 1.15627324459942e-07, 6.08574864600143e-05]
        p += [8.51377133304701e-03, 2.48287947061529e-01]
        q = [6.10247389755681e-13, 5.76102136993427e-09, 6.29106785017040e-06]
        q += [1.70198817374094e-03, 1.16817656904453e-01, 9.93151921023180e-01]
        clipped = np.clip(x, np.float32(-18), np.float32(18))
        return np.maximum(cls.quotient(clipped, p, q) + np.float32(0.5), 0)

    @classmethod
    def tanh(cls, x):
        p = [-2.76076847742355e-16, 2.00018790482477e-13, -8.60467152213735e-11]
        p += [5.12229709037114e-08, 1.48572235717979e-05, 6.37261928875436e-04]
        p += [4.89352455891786e-03]
        q = [1.19825839466702e-06, 1.18534705686654e-04, 2.26843463243900e-03]
        q += [4.89352518554385e-03]
        return cls.quotient(np.clip(x, np.float32(-9), np.float32(9)), p, q)

    @staticmethod
    def product(x, numbers, scale):
        """`numbers`: those of the weight above its zero point."""
        low, high = np.minimum(x.min(), 0), np.maximum(x.max(), 0)
        step = (high - low) / np.float32(255)
        zero = np.rint(-low / step)
        steps = np.clip(np.rint(x / step) + zero, 0, 255) - zero
        return (steps.astype(np.int64) @ numbers).astype(np.float32) * (step * scale)

    @classmethod
    def lstm(cls, x, weights, scales, bias):
        h = c = np.zeros((x.shape[1], len(weights[1])), np.float32)
        of_input = cls.product(x.reshape(-1, x.shape[2]), weights[0], scales[0])
        states = []
        for row in of_input.reshape(*x.shape[:2], -1):
            total = row + (cls.product(h, weights[1], scales[1]) if h.any() else 0) + bias
            enter, leave, keep, new = np.split(total, 4, axis=-1)
            c = cls.sigmoid(keep) * c + cls.sigmoid(enter) * cls.tanh(new)
            h = cls.sigmoid(leave) * cls.tanh(c)
            states.append(h)
        return np.array(states)


def test_layers_of_bytes_have_the_bits_of_onnx_runtime(tmp_path):
    """A difference of 1e-7 in the first layer could move the input of the second by 1 / 255."""
    units, directions = 24, 2
    known, given, layers = {}, [], []
    for layer, columns in enumerate((9, directions * units)):
        names = [f"{name}{layer}" for name in ("W", "R", "B", "Ws", "Wz", "Rs", "Rz")]
        weights = [
            RNG.integers(-128, 128, (directions, rows, 4 * units)) for rows in (columns, units)
        ]
        scales = [np.float32(RNG.uniform(0.002, 0.01, (directions, 4 * units))) for _ in weights]
        zeros = [np.zeros_like(scale, np.int8) for scale in scales]
        bias = normal(directions, 8 * units)
        values = [np.int8(weights[0]), np.int8(weights[1]), bias, scales[0], zeros[0]]
        known |= dict(zip(names, [*values, scales[1], zeros[1]], strict=True))
        layers.append((weights, scales, np.add(*np.split(bias, 2, axis=1))))
        given.append([f"x{layer}", *names[:3], "", "", "", "", *names[3:]])
    nodes = []
    for layer, inputs in enumerate(given):
        node = b"".join(ob.field(1, name) for name in inputs)
        kind = {"direction": "bidirectional", "hidden_size": units}
        nodes.append(
            node
            + ob.node("DynamicQuantizeLSTM", "", f"s{layer}", **kind)
            + ob.field(7, "com.microsoft")
        )
        nodes.append(ob.node("Transpose", f"s{layer}", f"t{layer}", perm=[0, 2, 1, 3]))
        nodes.append(ob.node("Reshape", f"t{layer} shape", f"x{layer + 1}"))
    known["shape"] = np.array([0, 0, -1])
    x = normal(40, 1, 9)
    path = tmp_path / "net.onnx"
    stated = ob.field(2, ob.field(1, ob.field(1, ob.TYPES["float32"])))
    opset = ob.field(8, ob.field(1, "com.microsoft") + ob.field(2, 1))
    inputs = [ob.value("x0", list(x.shape), "float32")]
    path.write_bytes(ob.file(nodes, inputs, [ob.field(1, "x2") + stated], known) + opset)
    expected = x
    for weights, scales, bias in layers:
        sides = []
        for d, step in enumerate((1, -1)):
            own = [[each[d] for each in pair] for pair in (weights, scales)]
            sides.append(Runtime.lstm(expected[::step], *own, bias[d])[::step])
        expected = np.concatenate(sides, axis=-1)
    net = ml.from_onnx(path)
    for backend in (ml.CpuBackend(), ml.CpuBackend(reference=True)):
        compiled = ml.compile(net.model, backend, inference=True)
        got = np.asarray(compiled.evaluate(net.params, {"x0": x})["x2"])
        np.testing.assert_array_equal(got, expected)
