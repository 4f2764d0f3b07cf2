"""Functions that ONNX files define, compared with NumPy."""

from pathlib import Path

import numpy as np
import onnx_bytes as ob
import pytest

import mithril as ml

RNG = np.random.default_rng(0)
X = RNG.normal(size=(2, 3)).astype(np.float32)
W = RNG.normal(size=(3, 3)).astype(np.float32)
FLOAT = 1


def read(tmp_path, nodes, functions, known=None):
    """The model and its parameters, of an input x and an output y."""
    path = tmp_path / "net.onnx"
    x, y = ob.value("x", ["N", 3]), ob.value("y", ["N", 3])
    path.write_bytes(ob.file(nodes, [x], [y], known) + ob.functions(functions))
    model, params, _ = ml.from_onnx(path)
    return model, params


def run(tmp_path, nodes, functions, known=None):
    model, params = read(tmp_path, nodes, functions, known)
    return ml.compile(model, ml.CpuBackend()).evaluate(params, {"x": X})["y"]


def refusal(tmp_path, nodes, functions):
    with pytest.raises(ml.ValueError) as caught:
        read(tmp_path, nodes, functions)
    return str(caught.value).splitlines()[1:]


def leaky(x, slope):
    return np.where(x < 0, x * np.float32(slope), x)


BEND = ob.function(
    "bend",
    "in",
    "out",
    [ob.node("LeakyRelu", "in", "out") + ob.reference("alpha", "slope", FLOAT)],
    slope=0.5,
)


def test_each_call_has_its_attributes(tmp_path):
    nodes = [ob.call("bend", "x", "h", slope=0.25), ob.call("bend", "h", "y")]
    np.testing.assert_allclose(run(tmp_path, nodes, [BEND]), leaky(leaky(X, 0.25), 0.5), rtol=1e-6)


def test_an_attribute_without_a_value_has_the_default_of_the_op(tmp_path):
    body = [ob.node("LeakyRelu", "in", "out") + ob.reference("alpha", "slope", FLOAT)]
    function = ob.function("bend", "in", "out", body)
    result = run(tmp_path, [ob.call("bend", "x", "y")], [function])
    np.testing.assert_allclose(result, leaky(X, 0.01), rtol=1e-6)


def test_an_attribute_reaches_the_graphs_of_nodes(tmp_path):
    inner = ob.node("LeakyRelu", "in", "z") + ob.reference("alpha", "slope", FLOAT)
    branch = ob.graph([inner], [], [ob.value("z", ["N", 3])])
    body = [ob.node("If", "chosen", "out", then_branch=branch, else_branch=branch)]
    function = ob.function("bend", "in chosen", "out", body)
    nodes = [ob.call("bend", "x chosen", "y", slope=0.25)]
    result = run(tmp_path, nodes, [function], {"chosen": np.array(True)})
    np.testing.assert_allclose(result, leaky(X, 0.25), rtol=1e-6)


def test_inputs_and_outputs_may_be_left_out(tmp_path):
    body = [ob.node("Gemm", "a b c", "out"), ob.node("Foo", "a", "more")]
    function = ob.function("affine", "a b c", "out more", body)
    nodes = [ob.call("affine", "x w", "h"), ob.call("affine", "h w c", "y")]
    c = np.array([1, 2, 3], np.float32)
    result = run(tmp_path, nodes, [function], {"w": W, "c": c})
    np.testing.assert_allclose(result, X @ W @ W + c, rtol=1e-4, atol=1e-5)


def test_functions_call_functions_of_other_opsets(tmp_path):
    # Softmax flattened all axes from its axis on before opset 13.
    flat = ob.function("flat", "in", "out", [ob.node("Softmax", "in", "out", axis=0)], opset=12)
    both = ob.function(
        "both",
        "in",
        "out",
        [ob.call("flat", "in", "a"), ob.node("Softmax", "in", "b"), ob.node("Add", "a b", "out")],
    )
    result = run(tmp_path, [ob.call("both", "x", "y")], [flat, both])
    powers = np.exp(X)
    expected = powers / powers.sum() + powers / powers.sum(1, keepdims=True)
    np.testing.assert_allclose(result, expected, rtol=1e-5)


def test_weights_in_functions_are_parameters_of_each_call(tmp_path):
    constant = ob.node("Constant", "", "k") + ob.field(
        5, ob.field(1, "value") + ob.field(5, ob.tensor("", W)) + ob.field(20, 4)
    )
    function = ob.function("layer", "in", "out", [constant, ob.node("MatMul", "in k", "out")])
    named = ob.call("layer", "x", "h") + ob.field(3, "first")
    model, params = read(tmp_path, [named, ob.call("layer", "h", "y")], [function])
    assert sorted(params) == ["first/k", "y/k"]
    train = ml.TrainModel(model)
    train.add_loss(ml.SquaredError(), input="y", target="wanted")
    compiled = ml.compile(train, ml.CpuBackend(), data_keys=["x", "wanted"])
    data = {"x": X, "wanted": np.zeros_like(X)}
    _, gradients = compiled.evaluate(params, data, output_gradients={"final_cost": 1.0})
    factor = 2 * (X @ W @ W) / X.size
    np.testing.assert_allclose(gradients["y/k"], (X @ W).T @ factor, rtol=1e-4, atol=1e-5)


def test_refused_nodes_in_functions_have_the_name_of_the_call(tmp_path):
    function = ob.function("f", "in", "out", [ob.node("Foo", "in", "out")])
    assert refusal(tmp_path, [ob.call("f", "x", "y")], [function]) == [
        "  y/node of out : Foo (opset 17): no op of Mithril computes it yet",
        "  help: docs/onnx.md lists the ops that can be",
    ]


def test_a_function_that_calls_itself_is_refused(tmp_path):
    function = ob.function("f", "in", "out", [ob.call("f", "in", "out")])
    assert refusal(tmp_path, [ob.call("f", "x", "y")], [function])[0] == (
        "  y/node of out : local.f: it calls itself"
    )


def test_a_call_with_more_inputs_is_refused(tmp_path):
    assert refusal(tmp_path, [ob.call("bend", "x x", "y")], [BEND])[0] == (
        "  node of y : local.bend: it has 2 inputs, expected at most 1"
    )


def test_functions_that_make_too_many_nodes_are_refused(tmp_path, monkeypatch):
    functions = [ob.function("f0", "in", "out", [ob.node("Neg", "in", "out")])]
    for i in range(1, 40):
        calls = [ob.call(f"f{i - 1}", "in", "a"), ob.call(f"f{i - 1}", "a", "out")]
        functions.append(ob.function(f"f{i}", "in", "out", calls))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ml.ValueError) as caught:
        read(Path(), [ob.call("f39", "x", "y")], functions)
    assert str(caught.value) == (
        "mithril.ValueError[E1326]: net.onnx: functions and loops make too many nodes\n"
        "  expected : at most 100000"
    )


def test_functions_that_make_too_many_ops_are_refused(tmp_path, monkeypatch):
    functions = [ob.function("f0", "in", "out", [ob.node("Celu", "in", "out")])]
    for i in range(1, 15):
        calls = [ob.call(f"f{i - 1}", "in", "a"), ob.call(f"f{i - 1}", "a", "out")]
        functions.append(ob.function(f"f{i}", "in", "out", calls))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ml.ValueError) as caught:
        read(Path(), [ob.call("f14", "x", "y")], functions)
    size = (tmp_path / "net.onnx").stat().st_size
    assert str(caught.value) == (
        "mithril.ValueError[E1326]: net.onnx: functions and loops make too many ops\n"
        f"  expected : at most {80_000 + size // 160}"
    )
