"""ml.GradDotProdEngineJAX within jax.jit: a training step is one function."""

from __future__ import annotations

import importlib.util
from typing import Any

import numpy as np
import pytest
from grad_dot_prod_cases import compiled_case, dropout_model
from per_sample_models import CASES

import mithril as ml

if importlib.util.find_spec("jax") is None:
    pytest.skip("jax is not installed", allow_module_level=True)

import jax

RATE = 0.1


def engine_of(compiled: ml.CompiledModel) -> ml.GradDotProdEngineJAX:
    return ml.GradDotProdEngineJAX(compiled, losses="losses", validation_batch_size=3)


def batches(name: str, count: int = 5) -> tuple[Any, ...]:
    rng = np.random.default_rng(count)
    data, validation = (CASES[name].data(rng, samples) for samples in (count, 3))
    return data["x"], data["y"], validation["x"], validation["y"]


def sgd_step(engine: ml.GradDotProdEngineJAX) -> Any:
    def step(params: Any, *arrays: Any) -> Any:
        gradient, dots, loss = engine.compute_step(params, *arrays)
        return jax.tree.map(lambda p, g: p - RATE * g, params, gradient), dots, loss

    return step


def bits(tree: Any) -> list[bytes]:
    return [np.asarray(leaf).tobytes() for leaf in jax.tree.leaves(tree)]


def near(made: Any, expected: Any, tolerance: float) -> bool:
    pairs = zip(jax.tree.leaves(made), jax.tree.leaves(expected), strict=True)
    return all(np.allclose(a, b, rtol=tolerance, atol=tolerance) for a, b in pairs)


def test_a_training_step_is_one_jitted_function() -> None:
    compiled = compiled_case("mlp", ml.CpuBackend(ml.float64))
    params = {key: np.asarray(value) for key, value in compiled.get_parameters().items()}
    with jax.enable_x64(True):
        step = sgd_step(engine_of(compiled))
        jitted = jax.jit(sgd_step(engine_of(compiled)))
        for count in (5, 4):
            arrays = batches("mlp", count)
            expected, made = step(params, *arrays), jitted(params, *arrays)
            assert near(made, expected, 1e-13)
            params = made[0]


def test_optax_takes_the_gradients_of_a_jitted_step_and_of_evaluate() -> None:
    optax = pytest.importorskip("optax", reason="optax is not installed")
    compiled = compiled_case("mlp", ml.JaxBackend(ml.float64))
    first, arrays, optimizer = compiled.get_parameters(), batches("mlp"), optax.adamw(1e-3)
    engine = engine_of(compiled)

    @jax.jit
    def step(params: Any, slots: Any, *arrays: Any) -> Any:
        gradient, dots, loss = engine.compute_step(params, *arrays)
        updates, slots = optimizer.update(gradient, slots, params)
        return optax.apply_updates(params, updates), slots, dots, loss

    with jax.enable_x64(True):
        made, slots = first, optimizer.init(first)
        params, others = first, optimizer.init(first)
        data = {"x": arrays[0], "y": arrays[1]}
        mean = {"losses": np.full((5, 5), 1 / 5)}
        for _ in range(3):
            made, slots, *_ = step(made, slots, *arrays)
            _, gradients = compiled.evaluate(params, data, output_gradients=mean)
            updates, others = optimizer.update(gradients, others, params)
            params = optax.apply_updates(params, updates)
    assert near(made, params, 1e-12)


@pytest.mark.parametrize("name", ["mlp", "convolutions"])
def test_a_traced_step_has_the_sizes_of_a_step(name: str) -> None:
    compiled = compiled_case(name, ml.CpuBackend(ml.float64))
    params = compiled.get_parameters()
    with jax.enable_x64(True):
        updated, dots, loss = jax.eval_shape(sgd_step(engine_of(compiled)), params, *batches(name))
    assert {key: leaf.shape for key, leaf in updated.items()} == {
        key: np.shape(value) for key, value in params.items()
    }
    assert (dots.shape, loss.shape) == ((5,), ())


@pytest.mark.slow
def test_an_engine_works_after_it_was_traced() -> None:
    compiled = compiled_case("mlp", ml.CpuBackend(ml.float64))
    params = compiled.get_parameters()
    engine, arrays = engine_of(compiled), batches("mlp")
    alone = engine_of(compiled).compute_step(params, *arrays)
    with jax.enable_x64(True):
        jax.eval_shape(engine.compute_step, params, *arrays)
    assert bits(engine.compute_step(params, *arrays)) == bits(alone)


def test_a_traced_step_of_float32_needs_no_float64() -> None:
    compiled = compiled_case("mlp", ml.CpuBackend(ml.float32))
    arrays = [np.asarray(array, np.float32) for array in batches("mlp")]
    made = jax.eval_shape(sgd_step(engine_of(compiled)), compiled.get_parameters(), *arrays)
    assert {leaf.dtype for leaf in jax.tree.leaves(made)} == {np.dtype(np.float32)}


def test_a_traced_step_checks_the_number_of_validation_samples() -> None:
    compiled = compiled_case("mlp")
    x, y, *_ = batches("mlp")
    step = jax.jit(engine_of(compiled).compute_step)
    with pytest.raises(ml.ValueError, match="there are 5 validation samples"):
        step(compiled.get_parameters(), x, y, x, y)


def dropout_batches() -> list[Any]:
    rng = np.random.default_rng(0)
    return [rng.standard_normal(shape) for shape in ((4, 8), (4, 5), (3, 8), (3, 5))]


@pytest.mark.slow
def test_a_state_that_is_given_comes_back() -> None:
    compiled = dropout_model(ml.CpuBackend(ml.float64))
    params, arrays = compiled.get_parameters(), dropout_batches()
    kept, engine = engine_of(compiled), engine_of(compiled)
    before = bits(engine.state)
    with jax.enable_x64(True):
        jitted = jax.jit(lambda params, state: engine.compute_step(params, *arrays, state=state))
        state = dict(compiled.initial_state_dict)
        for _ in range(2):
            expected = kept.compute_step(params, *arrays)
            *made, state = jitted(params, state)
            assert near(made, expected, 1e-13)
            assert bits(state) == bits(kept.state)
    assert bits(engine.state) == before


def test_a_traced_step_of_a_model_with_a_state_needs_it() -> None:
    compiled = dropout_model(ml.CpuBackend(ml.float64))
    engine = engine_of(compiled)
    before = bits(engine.state)
    with pytest.raises(ml.StateError) as caught:
        jax.jit(engine.compute_step)(compiled.get_parameters(), *dropout_batches())
    assert str(caught.value) == (
        "mithril.StateError[E0920]: compute_step needs the state of the model, and none was given\n"
        "  help: a traced step cannot keep it: compute_step(..., state=state) returns the next "
        "state"
    )
    assert bits(engine.state) == before
