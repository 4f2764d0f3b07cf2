"""Parameters that the loss or no output reads."""

from typing import Any

import numpy as np
import pytest

import mithril as ml

BACKENDS: dict[str, Any] = {"cpu": ml.CpuBackend, "torch": ml.TorchBackend}
OPTIMIZERS: dict[str, Any] = {
    "sgd": lambda: ml.SGD(0.1, momentum=0.9, weight_decay=0.1),
    "adam": lambda: ml.Adam(0.1),
    "adamw": lambda: ml.AdamW(0.1, weight_decay=0.1),
}
X = np.ones((2, 3), np.float32)


def two_heads() -> ml.Model:
    model = ml.Model()
    model |= ml.Linear(4, name="body")(input="x", output="h")
    model |= ml.Linear(1, name="first")(input="h", output="y")
    model |= ml.Linear(1, name="second")(input="h", output="z")
    return model


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@pytest.mark.parametrize("kind", BACKENDS)
def test_a_parameter_that_the_loss_does_not_read_stays(kind: str, optimizer: str) -> None:
    """PyTorch also skips parameters without a gradient."""
    train = ml.TrainModel(two_heads())
    train.add_loss(ml.SquaredError(), input="y", target="t")
    model = ml.compile(train, BACKENDS[kind](), shapes={"x": [None, 3]})
    before = model.get_parameters()
    params = {key: np.asarray(value).copy() for key, value in before.items()}
    moved = model.load_state_dict(params)
    step = ml.TrainingStep(model, OPTIMIZERS[optimizer](), max_norm=1.0)
    for _ in range(2):
        step(moved, {"x": X, "t": np.zeros((2, 1), np.float32)})
    for key in model.parameter_keys:
        same = np.array_equal(np.asarray(moved[key]), np.asarray(before[key]))
        assert same == key.startswith("second."), key
    assert not any(key.startswith("second.") for key in step.optimizer.state_dict())
    assert model.unread_parameter_keys == []


def test_a_parameter_behind_stop_gradient_stays() -> None:
    x = ml.IOKey("x")
    h = ml.Linear(4, name="body")(x)
    y = ml.Linear(1, name="head")(ml.StopGradient()(h))
    train = ml.TrainModel(ml.Model.create(y=y))
    train.add_loss(ml.SquaredError(), input="y", target="t")
    model = ml.compile(train, ml.CpuBackend(), shapes={"x": [None, 3]})
    params, before = model.get_parameters(), model.get_parameters()
    step = ml.TrainingStep(model, ml.AdamW(0.1))
    step(params, {"x": X, "t": np.zeros((2, 1), np.float32)})
    for key in model.parameter_keys:
        assert np.array_equal(params[key], before[key]) == ("body" in key), key


def test_parameters_that_no_output_reads_are_listed() -> None:
    net = ml.Model()
    net |= ml.Linear(4, name="body")(input="x", output="h")
    net |= ml.Linear(1, name="head")(input="h", output="y")
    net.expose_keys("h")
    model = ml.compile(net, ml.CpuBackend(), shapes={"x": [None, 3]})
    assert model.output_keys == ["h"]
    assert model.unread_parameter_keys == ["head.weight", "head.bias"]
    assert "no output reads head.weight, head.bias" in model.summary()
    params, before = model.get_parameters(), model.get_parameters()
    gradient = {"h": np.ones((2, 4), np.float32)}
    step = ml.TrainingStep(model, ml.AdamW(0.1), output_gradients=gradient)
    step(params, {"x": X})
    for key in model.parameter_keys:
        assert np.array_equal(params[key], before[key]) == key.startswith("head."), key
