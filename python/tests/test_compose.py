"""Composing from Python: bindings, applications, expressions, errors."""

import numpy as np
import pytest

import mithril as ml


def test_a_call_with_a_string_is_a_binding():
    net = ml.Model()
    net |= ml.Linear(4)(input="x", output="y")
    assert net.input_keys == ["x", "linear.weight", "linear.bias"]
    assert net.output_keys == ["y"]


def test_a_call_with_connections_is_an_application():
    x = ml.IOKey("x")
    h = ml.Relu()(ml.Linear(64)(x)) + x
    block = ml.Model.create(output=h)
    assert block.output_keys == ["output"]


def test_ports_are_attributes():
    net = ml.Model()
    linear = ml.Linear(4)
    net |= linear(input="x")
    net |= ml.Relu()(input=linear.output, output="y")
    assert net.output_keys == ["y"]
    with pytest.raises(AttributeError, match="known"):
        _ = linear.outptu


def test_operators_indexing_and_shapes():
    x = ml.IOKey("x", shape=["N", 6])
    y = (2 * x[:, 1:3] - 1) ** 2 / x.shape[1]
    model = ml.Model.create(y=y)
    compiled = ml.compile(model, ml.CpuBackend(dtype=ml.float64), data_keys=["x"])
    data = np.arange(12.0).reshape(2, 6)
    assert np.allclose(compiled.evaluate({}, {"x": data})["y"], (2 * data[:, 1:3] - 1) ** 2 / 6)


def test_a_list_of_connections():
    net = ml.Model()
    net |= ml.Concat(axis=1)(input=["a", "b"], output="y")
    compiled = ml.compile(net, ml.CpuBackend(), data_keys=["a", "b"])
    a, b = np.ones((2, 1), np.float32), np.zeros((2, 2), np.float32)
    assert compiled.evaluate({}, {"a": a, "b": b})["y"].tolist() == [[1, 0, 0], [1, 0, 0]]


def test_functional():
    @ml.functional
    def affine(a, b):
        return a @ b * 2 + 1

    net = ml.Model()
    net |= affine()(a="p", b="q", output="r")
    assert (net.input_keys, net.output_keys) == (["p", "q"], ["r"])


def test_an_error_has_its_parts():
    net = ml.Model()
    net |= ml.Relu()(input="x", output="y")
    with pytest.raises(ml.ConnectionError) as caught:
        net |= ml.Relu()(input="x", output="y")
    assert caught.value.code == "E0101"
    assert caught.value.path == "y"
    assert "relu_0" in str(caught.value)
    assert isinstance(caught.value, ml.Error)


def test_an_unknown_argument_names_the_nearest():
    with pytest.raises(ml.NameError, match="did you mean 'dimension'"):
        ml.Linear(dimensin=3)


def test_classes_are_documented():
    assert "weight" in ml.Linear.__doc__
    assert "approximate" in ml.Gelu.__doc__
