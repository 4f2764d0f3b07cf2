"""Gradients of single samples of loops that draw random numbers, and of a vmap of a choice."""

import numpy as np
import pytest
from loop_models import BACKEND, parameters_of

import mithril as ml


def drawing(norm: bool = False) -> ml.CompiledModel:
    step = ml.Model()
    step |= ml.Linear(4)(input="x", output="a")
    step |= ml.Dropout(0.5)(input="a", output="d")
    step |= (ml.BatchNorm1D() if norm else ml.Buffer())(input="d", output="y")
    step.expose_keys("y")
    net = ml.Model()
    net |= ml.Scan(step, sequences=["x"], outputs=["y"], axis=1)(x="x", y="y")
    net |= ml.Sum(axis=[1, 2])(input=net.y * net.y, output="losses")
    return ml.compile(net, BACKEND, shapes={"x": [None, 5, 2]}, data_keys=["x"])


def test_a_loop_with_dropout() -> None:
    """The gradient of each loss with the masks that the whole batch draws."""
    compiled = drawing()
    state, draw = compiled.initial_state_dict, np.random.default_rng(0).normal
    params, data = parameters_of(compiled), {"x": draw(size=(3, 5, 2))}
    samples = ml.PerSample(compiled, losses="losses")
    got = samples.gradients(params, data, state=state)
    norms = samples.norms(params, data, state=state).total
    for i, seed in enumerate(np.eye(3)):
        _, expected, _ = compiled.evaluate(
            params, data, output_gradients={"losses": seed}, state=state
        )
        for key, value in expected.items():
            np.testing.assert_allclose(np.asarray(got[key])[i], value, rtol=1e-10, atol=1e-12)
        total = np.sqrt(sum((np.asarray(value) ** 2).sum() for value in expected.values()))
        np.testing.assert_allclose(np.asarray(norms)[i], total, rtol=1e-10)


def test_a_loop_whose_losses_are_equal_for_all_masks() -> None:
    """The layer before the dropout is zero, so only the gradients depend on the mask."""
    step = ml.Model()
    step |= ml.Linear(4)(input="x", output="a")
    step |= ml.Dropout(0.5)(input="a", output="y")
    step.expose_keys("y")
    net = ml.Model()
    net |= ml.Scan(step, sequences=["x"], outputs=["y"], axis=1)(x="x", y="y")
    net |= ml.Sum(axis=[1, 2])(input="y", output="losses")
    compiled = ml.compile(net, BACKEND, shapes={"x": [None, 5, 2]}, data_keys=["x"])
    params = {key: np.zeros_like(value) for key, value in parameters_of(compiled).items()}
    state, data = (
        compiled.initial_state_dict,
        {"x": np.random.default_rng(0).normal(size=(3, 5, 2))},
    )
    got = ml.PerSample(compiled, losses="losses").gradients(params, data, state=state)
    for i, seed in enumerate(np.eye(3)):
        _, expected, _ = compiled.evaluate(
            params, data, output_gradients={"losses": seed}, state=state
        )
        for key, value in expected.items():
            assert np.any(value)
            np.testing.assert_allclose(np.asarray(got[key])[i], value, rtol=1e-12)


def test_a_loop_with_dropout_and_batch_norm_mixes_the_samples() -> None:
    compiled = drawing(norm=True)
    params, data = parameters_of(compiled), {"x": np.random.default_rng(0).normal(size=(3, 5, 2))}
    with pytest.raises(ml.GradientError, match="the model mixes the samples") as raised:
        ml.PerSample(compiled, losses="losses").norms(
            params, data, state=compiled.initial_state_dict
        )
    assert raised.value.code == "E0513"


def choosing() -> ml.Model:
    x = ml.IOKey("x", shape=[1, 3])
    a, b = ml.Linear(4)(x), ml.Linear(1)(x)
    first = ml.Model.create(losses=(a * a).sum())
    second = ml.Model.create(losses=ml.Tanh()(b).sum())
    return ml.Cond(ml.Model.create(positive=x.sum() > 0.0), first, second)


@pytest.mark.parametrize("sign", [None, 1.0, -1.0])
def test_a_vmap_of_a_choice(sign: float | None) -> None:
    mapped = ml.vmap(choosing(), in_axes={"x": 0})
    compiled = ml.compile(mapped, BACKEND, shapes={"x": [None, 1, 3]}, data_keys=["x"])
    params, x = parameters_of(compiled), np.random.default_rng(0).normal(size=(6, 1, 3))
    x = x if sign is None else np.abs(x) * sign
    assert sign is not None or len(set(x.sum((1, 2)) > 0)) == 2
    got = ml.PerSample(compiled, losses="losses").gradients(params, {"x": x})
    for i in range(6):
        _, expected = compiled.evaluate(
            params, {"x": x[i : i + 1]}, output_gradients={"losses": np.ones(1)}
        )
        for key, value in expected.items():
            np.testing.assert_allclose(np.asarray(got[key])[i], value, rtol=1e-10, atol=1e-12)
