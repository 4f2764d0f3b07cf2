"""Models as JSON text, and back."""

import json

import numpy as np
import pytest

import mithril as ml


def network() -> ml.Model:
    net = ml.Model()
    net |= ml.Linear(dimension=4)(input="x", output="h")
    net += ml.Relu()
    net += ml.Linear(2)(output="logits")
    net.set_shapes(x=["N", 3])
    net.set_differentiability(x=False)
    return net


def test_a_model_that_was_written_is_read_back_equal() -> None:
    net = network()
    read = ml.Model.from_json(net.to_json())
    assert read == net
    assert read.input_keys == net.input_keys
    assert read.output_keys == net.output_keys
    assert read != ml.Linear(dimension=4)
    assert read != "a model"


def test_the_read_model_computes_the_same() -> None:
    net = network()
    read = ml.Model.from_json(net.to_json())
    compiled, again = (ml.compile(model, ml.CpuBackend()) for model in (net, read))
    params = compiled.get_parameters(seed=3)
    assert list(again.get_parameters(seed=3)) == list(params)
    data = {"x": np.ones((2, 3), np.float32)}
    np.testing.assert_array_equal(
        compiled.evaluate(params, data)["logits"], again.evaluate(params, data)["logits"]
    )


def test_library_models_are_written_as_name_and_arguments() -> None:
    assert json.loads(ml.Linear(dimension=4).to_json()) == {
        "name": "Linear",
        "args": {"dimension": 4},
    }
    assert ml.Linear(4) == ml.Linear(dimension=4, use_bias=True)


def test_equal_models_stay_distinct_in_sets() -> None:
    first, second = ml.Relu(), ml.Relu()
    assert first == second
    assert len({first, second, first}) == 2
    first.set_shapes(input=[2, 3])
    assert first in {first}
    assert first != second


def test_mistakes_name_the_place() -> None:
    with pytest.raises(ml.NameError) as caught:
        ml.Model.from_json('{"name": "Model", "submodels": {"m1": {"name": "Linaer"}}}')
    assert caught.value.code == "E0608"
    assert caught.value.path == "/submodels/m1/name"
    assert "Linear" in caught.value.help
    with pytest.raises(ml.ParseError, match="is given twice"):
        ml.Model.from_json('{"name": "Relu", "name": "Gelu"}')


def test_models_that_are_arguments_are_written_as_models() -> None:
    net = ml.MLP(activations=[ml.Relu(), ml.LeakyRelu(slope=0.1)], dimensions=[3, 2])
    assert json.loads(net.to_json())["args"]["activations"] == [
        "Relu",
        {"name": "LeakyRelu", "args": {"slope": 0.1}},
    ]
    assert ml.Model.from_json(net.to_json()) == net
    with pytest.raises(ml.TypeError, match="a model of the library, or its class name"):
        ml.Layer(activation=3)
