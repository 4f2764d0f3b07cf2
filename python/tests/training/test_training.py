"""Training models: a cost out of losses, regularisation and metrics."""

import re
from typing import Any

import numpy as np
import pytest

import mithril as ml

INPUT = np.arange(4.0).reshape(4, 1)
DATA = {"input": INPUT, "target": np.zeros((4, 1))}
PARAMS = {"weight": np.array([[2.0]]), "bias": np.array([1.0])}  # outputs 1, 3, 5, 7


def line() -> ml.TrainModel:
    model = ml.Linear(dimension=1)
    model.set_shapes(input=["N", 1])
    train = ml.TrainModel(model)
    train.add_loss(ml.SquaredError(), input="output", target="target")
    return train


def evaluate(train: ml.Model, **options: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    compiled = ml.compile(train, ml.CpuBackend(dtype=ml.float64), **options)
    outputs, gradients = compiled.evaluate(PARAMS, DATA, output_gradients=True)
    return outputs, gradients


def test_a_training_model_gives_the_cost_and_its_gradients() -> None:
    outputs, gradients = evaluate(line())
    assert outputs["final_cost"] == 21
    assert gradients["bias"] == pytest.approx([8.0])
    assert list(outputs) == ["output", "final_cost"]


def test_losses_take_steps_coefficients_and_names() -> None:
    train = line()
    train.add_loss(
        ml.AbsoluteError(),
        input="output",
        target="target",
        reduce_steps=[ml.Max(axis=0), ml.Sum()],
        coef=0.5,
        key_name="far",
    )
    outputs, _ = evaluate(train)
    assert outputs["far"] == 3.5
    assert outputs["final_cost"] == 24.5
    train.set_loss_combiner(ml.Max())
    assert evaluate(train)[0]["final_cost"] == 21


def test_regularisation_finds_parameters_by_key_connection_and_pattern() -> None:
    for chosen in (lambda _: "weight", lambda train: train.weight, lambda _: re.compile("^w")):
        train = line()
        train.add_regularization(ml.L2(), coef=0.5, input=chosen(train))
        assert evaluate(train)[0]["final_cost"] == 21 + 0.5 * 2 / 4
    with pytest.raises(ml.TypeError, match="without flags"):
        line().add_regularization(ml.L2(), 0.5, input=re.compile("W", re.IGNORECASE))


def test_the_regularised_port_may_be_named() -> None:
    train = line()
    train.add_regularization(
        ml.QuadraticFormRegularizer(),
        coef=ml.Tensor(1.0),
        reg_key="input",
        input="weight",
        kernel=ml.Tensor([[3.0]]),
    )
    assert evaluate(train)[0]["final_cost"] == 21 + 6 / 4


def test_metrics_are_outputs() -> None:
    train = line()
    train.add_metric(ml.AbsoluteError(), [ml.Mean()], "off_by", input="output", target="target")
    outputs, _ = evaluate(train)
    assert outputs["off_by"] == 4
    assert evaluate(train, discard_keys=["off_by"])[0].keys() == {"output", "final_cost"}


def test_a_training_model_that_was_written_is_read_back_equal() -> None:
    train = line()
    train.add_regularization(ml.L1(), 0.1, input=re.compile("weight|bias"))
    read = ml.Model.from_json(train.to_json())
    assert isinstance(read, ml.TrainModel)
    assert read == train
    np.testing.assert_array_equal(evaluate(read)[0]["final_cost"], evaluate(train)[0]["final_cost"])


def test_the_summary_shows_losses_regularisation_and_metrics() -> None:
    train = line()
    train.add_regularization(ml.L2(), 0.5, input="weight")
    train.add_metric(ml.AbsoluteError(), key_name="far", input="output", target="target")
    assert train.summary() == (
        "TrainModel of Linear\n"
        "part             class            outputs        own inputs\n"
        "-----------------------------------------------------------\n"
        "primitivelinear  PrimitiveLinear  output [N, 1]\n"
        "inputs:  input [N, 1], weight [1, 1], bias [1]\n"
        "outputs: output [N, 1]\n"
        "\nLosses\n"
        "loss            ports                                          reduce steps  coef  key\n"
        "--------------------------------------------------------------------------------------\n"
        "SquaredError()  input = output [N, 1], target = target [N, 1]  Mean()        -     -\n"
        "\nRegularisation\n"
        "regulariser  ports                  coef  key\n"
        "---------------------------------------------\n"
        "L2()         input = weight [1, 1]  0.5   -\n"
        "\nMetrics\n"
        "metric           ports                                          reduce steps  key\n"
        "---------------------------------------------------------------------------------\n"
        "AbsoluteError()  input = output [N, 1], target = target [N, 1]  -             far\n"
    )


def test_mistakes_are_reported() -> None:
    train = line()
    with pytest.raises(ml.ConnectionError, match="did you mean 'output'") as caught:
        train.add_loss(ml.SquaredError(), input="ouptut", target="target")
    assert caught.value.code == "E0114"
    with pytest.raises(ml.NameError, match="did you mean 'weight'"):
        train.add_regularization(ml.L2(), 0.1, input="wieght")
    with pytest.raises(ml.ConnectionError, match="does not take further parts"):
        train += ml.Relu()


def test_parts_with_the_name_of_the_model_keep_their_parameters() -> None:
    inner = ml.Model()
    inner |= ml.Linear(2)(input="input", output="output")
    net = ml.Model()
    net |= inner(input="x", output="hidden")  # it is called model, too
    net |= ml.Linear(2)(input="hidden", output="y")
    train = ml.TrainModel(net)
    train.add_loss(ml.SquaredError(), input="y", target="target", reduce_steps=[ml.Mean()])
    compiled = ml.compile(train, ml.CpuBackend(), shapes={"x": [3, 2], "target": [3, 2]})
    assert compiled.parameter_keys == [
        "model.linear.weight",
        "model.linear.bias",
        "linear.weight",
        "linear.bias",
    ]
