"""`ml.to_onnx(functions=True)`: parts of models as functions of ONNX files."""

import numpy as np
import pytest
from onnx_runs import assert_equal_results

import mithril as ml

RNG = np.random.default_rng(0)


def block(size: int) -> ml.Model:
    part = ml.Model()
    part |= ml.LayerNorm()(input="input")
    part += ml.Linear(size)
    part += ml.Gelu(approximate=True)
    part += ml.Linear(8)(output="made")
    part |= ml.Add()(left="input", right="made", output="output")
    part.expose_keys("output")
    return part


def stack(*sizes: int) -> ml.Model:
    net = ml.Model()
    for i, size in enumerate(sizes):
        source, target = ("x" if i == 0 else f"h{i}"), f"h{i + 1}"
        net |= block(size)(input=source, output=target)
    net |= ml.Linear(2)(input=target, output="y")
    net.expose_keys("y")
    return net


def fields(message: bytes) -> list[tuple[int, bytes]]:
    """The numbers and contents of the fields of a protobuf message that have a length."""

    def varint(at):
        number, shift = 0, 0
        while True:
            byte = message[at]
            number |= (byte & 127) << shift
            at, shift = at + 1, shift + 7
            if byte < 128:
                return number, at

    made, at = [], 0
    while at < len(message):
        tag, at = varint(at)
        if tag & 7 == 2:
            size, at = varint(at)
            made.append((tag >> 3, message[at : at + size]))
            at += size
        elif tag & 7 == 5:
            at += 4
        else:
            _, at = varint(at)
    return made


def functions_of(path):
    """The names of the functions of a file, and the ops of its graph."""
    model = fields(path.read_bytes())
    (graph,) = (content for number, content in model if number == 7)
    functions = [dict(fields(content)) for number, content in model if number == 25]
    assert all(function[10] == b"mithril.parts" for function in functions)
    nodes = [dict(fields(content)) for number, content in fields(graph) if number == 1]
    ops = [(node.get(7, b"") + b"." + node[4]).decode() for node in nodes]
    return [function[1].decode() for function in functions], ops


@pytest.mark.parametrize("shapes", [{"x": [3, 8]}, {"x": ["N", 8]}], ids=["fixed", "open"])
def test_results_and_parameters_stay(tmp_path, shapes):
    compiled = ml.compile(stack(16, 16, 4), ml.CpuBackend(), shapes=shapes)
    params = compiled.randomize_params(1)
    path = tmp_path / "net.onnx"
    data = {"x": RNG.normal(size=(3, 8)).astype(np.float32)}
    ml.to_onnx(compiled, path, params, functions=True, data=data)
    assert_equal_results(path, compiled, [params], data)
    assert set(ml.from_onnx(path)[1]) == set(params)


def test_parts_of_equal_structure_share_a_function(tmp_path):
    compiled = ml.compile(stack(16, 16, 4), ml.CpuBackend(), shapes={"x": ["N", 8]})
    path = tmp_path / "net.onnx"
    ml.to_onnx(compiled, path, compiled.randomize_params(1), functions=True)
    functions, ops = functions_of(path)
    assert functions == ["model"]  # the sizes of weights may differ
    assert ops.count("mithril.parts.model") == 3
    assert ".Gemm" in ops


def test_parts_of_other_structure_have_functions_of_their_own(tmp_path):
    net = ml.Model()
    net |= block(16)(input="x", output="h")
    other = ml.Model()
    other |= ml.Tanh()(input="input", output="t")
    other |= ml.Sigmoid()(input="t", output="s")
    other |= ml.Multiply()(left="s", right="t", output="output")
    other.expose_keys("output")
    net |= other(input="h", output="y")
    net.expose_keys("y")
    compiled = ml.compile(net, ml.CpuBackend(), shapes={"x": ["N", 8]})
    params = compiled.randomize_params(1)
    path = tmp_path / "net.onnx"
    ml.to_onnx(compiled, path, params, functions=True)
    functions, ops = functions_of(path)
    # The last nodes of the parts make `h` and `y`, which are values of the outer model.
    assert ops == ["mithril.parts.model", ".Add", "mithril.parts.model_1", ".Mul"]
    assert functions == ["model", "model_1"]
    assert_equal_results(
        path, compiled, [params], {"x": RNG.normal(size=(5, 8)).astype(np.float32)}
    )


def test_a_training_step_may_have_functions(tmp_path):
    train = ml.TrainModel(block(16))
    train.add_loss(ml.SquaredError(), input="output", target="target", reduce_steps=[ml.Mean()])
    compiled = ml.compile(train, ml.CpuBackend(), shapes={"input": ["N", 8], "target": ["N", 8]})
    params = {key: np.array(value) for key, value in compiled.randomize_params(1).items()}
    step = ml.TrainingStep(compiled, ml.Adam(lr=1e-3))
    data = {key: RNG.normal(size=(3, 8)).astype(np.float32) for key in ("input", "target")}
    path = tmp_path / "step.onnx"
    values = ml.to_onnx(step, path, params, functions=True, data=data)
    shapes = {key: [3, 8] for key in data}
    model, made, renamed = ml.from_onnx(path, shapes=shapes)
    assert not made
    again = ml.compile(model, ml.CpuBackend(), data_keys=list(model.input_keys), inference=True)
    given = {**values, **data}
    results = again.evaluate({}, {key: given[renamed.get(key, key)] for key in again.data_keys})
    cost = step(params, data)["final_cost"]
    np.testing.assert_allclose(results["final_cost"], cost, rtol=1e-5)
    for key, value in params.items():
        np.testing.assert_allclose(results[f"{key}_next"], value, rtol=1e-5, atol=1e-6)
