"""Steps of training as one graph, and the optimizers."""

import gc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mithril as ml

SHAPES: dict[str, list[int | None]] = {"x": [None, 6], "y": [None]}


def compiled(**options: Any) -> ml.CompiledModel:
    model = ml.Model()
    model |= ml.Linear(8)(input="x", output="hidden")
    model += ml.Relu()
    model += ml.Linear(3)(output="scores")
    model |= ml.CrossEntropy()(input="scores", target="y", output="losses")
    model |= ml.Mean()(input="losses", output="loss")
    return ml.compile(
        model, ml.CpuBackend(**options), shapes=SHAPES, data_keys={"x", "y"}, inference=False
    )


def batch() -> dict[str, Any]:
    numbers = np.random.default_rng(0)
    x = numbers.standard_normal((20, 6)).astype(np.float32)
    return {"x": x, "y": numbers.integers(0, 3, 20)}


LOSS = {"loss": np.float32(1)}
RULES: dict[str, Callable[[], ml.Optimizer]] = {
    "sgd": lambda: ml.SGD(0.1, momentum=0.9, nesterov=True),
    "adam": lambda: ml.Adam(lr=0.01, weight_decay=0.1),
    "adamw": lambda: ml.AdamW(lr=0.01, betas=(0.8, 0.99)),
}


@pytest.mark.parametrize("rule", RULES)
def test_a_step_is_evaluate_and_the_optimizer(rule: str) -> None:
    model = compiled()
    apart = model.get_parameters()
    params = {key: value.copy() for key, value in apart.items()}
    expected, optimizer = RULES[rule](), RULES[rule]()
    step = ml.TrainingStep(model, optimizer, output_gradients=LOSS)
    for _ in range(5):
        outputs, gradients = model.evaluate(apart, batch(), output_gradients=LOSS)
        expected.step(apart, gradients)
        assert step(params, batch())["loss"] == outputs["loss"]
    for key, value in apart.items():
        np.testing.assert_array_equal(params[key], value)
    for key, value in expected.state_dict().items():
        np.testing.assert_array_equal(optimizer.state_dict()[key], value)


def test_arrays_that_are_not_row_major_are_updated() -> None:
    model = compiled()
    params = model.get_parameters()
    turned = {
        key: np.asfortranarray(value) if value.ndim == 2 else value.copy()
        for key, value in params.items()
    }
    optimizer, other = ml.SGD(0.1), ml.SGD(0.1)
    ml.TrainingStep(model, optimizer, output_gradients=LOSS)(params, batch())
    ml.TrainingStep(model, other, output_gradients=LOSS)(turned, batch())
    for key, value in params.items():
        np.testing.assert_array_equal(turned[key], value)


def test_a_step_keeps_its_optimizer_and_takes_its_rate() -> None:
    model = compiled()
    params = model.get_parameters()
    optimizer = ml.Adam()
    step = ml.TrainingStep(model, optimizer, output_gradients=LOSS)
    optimizer.lr = 0.0
    before = {key: value.copy() for key, value in params.items()}
    step(params, batch())
    for key, value in before.items():
        np.testing.assert_array_equal(params[key], value)
    optimizer.lr = 0.1
    del optimizer
    gc.collect()
    step(params, batch())
    assert not np.array_equal(params["linear.weight"], before["linear.weight"])


def test_parameters_that_cannot_be_updated_are_refused() -> None:
    model = compiled()
    params = model.get_parameters()
    step = ml.TrainingStep(model, ml.SGD(0.1), output_gradients=LOSS)
    with pytest.raises(ml.TypeError, match="an array that can be written to"):
        step(params | {"linear_1.bias": 0.0}, batch())
    params["linear_1.bias"].setflags(write=False)
    with pytest.raises(ml.InputError, match="E0813"):
        step(params, batch())
    with pytest.raises(ml.InputError, match="E0808"):
        ml.TrainingStep(model, ml.SGD(0.1))


@pytest.mark.parametrize("backend", ["cpu", "torch"])
def test_writes_to_a_returned_state_do_not_change_the_step(backend: str) -> None:
    if backend == "torch":
        pytest.importorskip("torch", reason="torch is not installed")
        pytest.importorskip("mithril._torch", reason="torch is not built")
    made = ml.TorchBackend() if backend == "torch" else ml.CpuBackend()
    model = ml.Model()
    model |= ml.BatchNorm1D()(input="x", output="h")
    model |= ml.Mean()(input="h", output="loss")
    model.expose_keys("loss")
    compiled = ml.compile(model, made, shapes={"x": [4, 3]}, data_keys=["x"])
    before = {key: np.asarray(value).copy() for key, value in compiled.initial_state_dict.items()}
    for value in compiled.initial_state_dict.values():
        value[...] = 7
    for key, value in compiled.initial_state_dict.items():
        assert np.array_equal(value, before[key])
    if backend == "torch":
        return  # the optimizers of torch take its steps
    step = ml.TrainingStep(compiled, ml.SGD())
    for value in step.state.values():
        value[...] = 7
    for key, value in step.state.items():
        assert np.array_equal(value, before[key])
