"""Steps of optimizers of the domain ai.onnx.preview.training, compared with NumPy."""

import numpy as np
import onnx_bytes as ob
import pytest

import mithril as ml

DOMAIN = "ai.onnx.preview.training"
RNG = np.random.default_rng(0)
OPTIONS = {
    "Momentum": {"alpha": 0.9, "beta": 0.5, "norm_coefficient": 0.01, "mode": "standard"},
    "Nesterov": {"alpha": 0.9, "beta": 0.5, "norm_coefficient": 0.01, "mode": "nesterov"},
    "Adagrad": {"decay_factor": 0.1, "epsilon": 1e-3, "norm_coefficient": 0.01},
    "Adam": {
        "alpha": 0.8,
        "beta": 0.9,
        "epsilon": 1e-3,
        "norm_coefficient": 0.01,
        "norm_coefficient_post": 0.02,
    },
}


def file_with(node: bytes, inputs: list[bytes], outputs: list[str]) -> bytes:
    stated = ob.field(2, ob.field(1, ob.field(1, ob.TYPES["float32"])))
    opset = ob.field(8, ob.field(1, DOMAIN) + ob.field(2, 1))
    named = [ob.field(1, name) + stated for name in outputs]
    return ob.file([node + ob.field(7, DOMAIN)], inputs, named) + opset


def expected_step(name, rate, steps, tensors):
    options = OPTIONS[name]
    x, gradient, *slots = tensors
    gradient = options["norm_coefficient"] * x + gradient
    if name == "Adagrad":
        squares = slots[0] + gradient**2
        rate = rate / (1 + steps * options["decay_factor"])
        return x - rate * gradient / (np.sqrt(squares) + options["epsilon"]), squares
    if name == "Adam":
        alpha, beta = options["alpha"], options["beta"]
        mean = alpha * slots[0] + (1 - alpha) * gradient
        squares = beta * slots[1] + (1 - beta) * gradient**2
        if steps > 0:
            rate = rate * np.sqrt(1 - beta**steps) / (1 - alpha**steps)
        moved = x - rate * mean / (np.sqrt(squares) + options["epsilon"])
        return (1 - options["norm_coefficient_post"]) * moved, mean, squares
    speed = options["alpha"] * slots[0] + (options["beta"] if steps else 1) * gradient
    nesterov = options["mode"] == "nesterov"
    return x - rate * (gradient + options["alpha"] * speed if nesterov else speed), speed


@pytest.mark.parametrize("steps", [0, 3])
@pytest.mark.parametrize("name", OPTIONS)
def test_a_step_moves_two_variables(tmp_path, name, steps):
    options = OPTIONS[name]
    shapes = [(2, 3), (4,)]
    kinds = ["x", "g", "v", "h"] if name == "Adam" else ["x", "g", "v"]
    data = {"r": np.float32(0.1), "t": np.int64(steps)}
    for kind in kinds:
        for i, shape in enumerate(shapes):
            values = RNG.normal(size=shape).astype(np.float32)
            data[f"{kind}{i}"] = np.abs(values) if kind in "vh" else values
    outputs = [f"{kind}{i}_new" for kind in kinds if kind != "g" for i in range(2)]
    op = "Momentum" if name == "Nesterov" else name
    node = ob.node(op, " ".join(data), " ".join(outputs), **options)
    inputs = [ob.value(key, list(x.shape), x.dtype.name) for key, x in data.items()]
    (tmp_path / "step.onnx").write_bytes(file_with(node, inputs, outputs))
    model, params, _ = ml.from_onnx(tmp_path / "step.onnx")
    results = ml.compile(model, ml.CpuBackend(), inference=True).evaluate(params, data)
    for i in range(2):
        wanted = expected_step(name, 0.1, steps, [data[f"{kind}{i}"] for kind in kinds])
        got = [np.asarray(results[key]) for key in outputs[i::2]]
        for result, values in zip(got, wanted, strict=True):
            np.testing.assert_allclose(result, values, rtol=1e-5, atol=1e-6)


def test_a_count_of_inputs_that_is_no_step_is_refused(tmp_path):
    data = ["r", "t", "x", "g"]
    node = ob.node("Adagrad", " ".join(data), "y z")
    inputs = [ob.value(key, [] if key in "rt" else [3]) for key in data]
    (tmp_path / "step.onnx").write_bytes(file_with(node, inputs, ["y", "z"]))
    with pytest.raises(ml.ValueError, match="it has 4 inputs, expected 2 and 3 for each variable"):
        ml.from_onnx(tmp_path / "step.onnx")
