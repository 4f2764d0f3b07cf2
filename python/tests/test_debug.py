"""debug says which inputs were not finite, and may be quiet."""

from typing import Any

import numpy as np
import pytest

import mithril as ml

BACKENDS: dict[str, Any] = {"cpu": ml.CpuBackend, "torch": ml.TorchBackend}
X = np.ones((2, 3), np.float32)


def head() -> ml.Model:
    model = ml.Model()
    model |= ml.Linear(4, name="body")(input="x", output="h")
    model |= ml.Linear(1, name="head")(input="h", output="y")
    return model


@pytest.mark.parametrize("kind", BACKENDS)
def test_debug_says_that_data_had_nan(kind: str, capfd: pytest.CaptureFixture[str]) -> None:
    net = ml.Model()
    net |= ml.Linear(4, name="body")(input="x", output="h")
    net |= ml.Relu()(input="h", output="y")
    data = {"x": X.copy()}
    data["x"][1, 2] = np.nan
    for quiet in (False, True):
        model = ml.compile(net, BACKENDS[kind](), shapes={"x": [2, 3]}, debug=True, quiet=quiet)
        model.evaluate(model.get_parameters(), {"x": X})
        lines = capfd.readouterr().err.splitlines()
        assert bool(lines) != quiet
        with pytest.raises(ml.ValueError) as caught:
            model.evaluate(model.get_parameters(), data)
        assert "  data 'x' : 1 NaN, 0 infinite\n" in str(caught.value)
        assert str(caught.value).endswith(
            "  help: these inputs already had NaN or infinity: check the code that computes them"
        )
        lines = capfd.readouterr().err.splitlines()
        assert len(lines) == 1 if quiet else len(lines) >= 1


def test_debug_of_a_training_step_says_that_data_had_nan() -> None:
    train = ml.TrainModel(head())
    train.add_loss(ml.SquaredError(), input="y", target="t")
    model = ml.compile(train, ml.CpuBackend(), shapes={"x": [2, 3]}, debug=True, quiet=True)
    step = ml.TrainingStep(model, ml.SGD(0.1))
    data = {"x": X, "t": np.full((2, 1), np.nan, np.float32)}
    with pytest.raises(ml.ValueError, match="data 't' : 2 NaN, 0 infinite"):
        step(model.get_parameters(), data)
