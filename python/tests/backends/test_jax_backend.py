"""ml.JaxBackend and ml.GradDotProdEngineJAX; skipped where JAX is not installed."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conformance import NOT_THERE_YET, TOLERANCE, run_file
from grad_dot_prod_cases import compiled_case, dropout_model
from per_sample_models import CASES
from processes import environment

import mithril as ml

CONFORMANCE = Path(__file__).parents[3] / "tests" / "conformance" / "cases"

if importlib.util.find_spec("jax") is None:
    pytest.skip("jax is not installed", allow_module_level=True)

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402


def classifier() -> Any:
    net = ml.Model()
    net |= ml.Linear(8)(input="x")
    net += ml.BatchNorm1D()
    net += ml.Gelu()
    net += ml.Linear(3)(output="out")
    model = ml.TrainModel(net)
    model.add_loss(ml.CrossEntropy(), input="out", target="y", reduce_steps=[ml.Mean()])
    return model


def compiled_classifier(backend: Any) -> ml.CompiledModel:
    return ml.compile(classifier(), backend, shapes={"x": ["N", 4]}, data_keys={"x", "y"})


def batch(seed: int, count: int = 6) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    return {"x": rng.standard_normal((count, 4)), "y": rng.integers(0, 3, count)}


def close(a: Any, b: Any, tolerance: float = 1e-10) -> bool:
    return np.allclose(np.asarray(a), np.asarray(b), rtol=tolerance, atol=tolerance)


def test_values_gradients_and_states_are_those_of_the_cpu() -> None:
    ours = compiled_classifier(ml.JaxBackend(ml.float64))
    cpu = compiled_classifier(ml.CpuBackend(ml.float64))
    params, state, expected_state = cpu.get_parameters(), None, None
    state, expected_state = ours.initial_state_dict, cpu.initial_state_dict
    for step in range(2):
        data = batch(step, 4 + step)
        outputs, gradients, state = ours.evaluate(params, data, output_gradients=True, state=state)
        expected = cpu.evaluate(params, data, output_gradients=True, state=expected_state)
        for mine, theirs in (
            (outputs, expected[0]),
            (gradients, expected[1]),
            (state, expected[2]),
        ):
            assert set(mine) == set(theirs)
            assert all(close(mine[key], theirs[key]) for key in theirs)
        expected_state = expected[2]


def test_a_training_step_trains_as_on_the_cpu() -> None:
    results = []
    for backend in (ml.JaxBackend(ml.float64), ml.CpuBackend(ml.float64)):
        compiled = compiled_classifier(backend)
        params = compiled.get_parameters(1)
        step = ml.TrainingStep(compiled, ml.Adam(1e-2))
        for i in range(5):
            step(params, batch(i))
        results.append(params)
    ours, cpu = results
    assert all(close(ours[key], cpu[key], 1e-8) for key in cpu)


def test_arrays_of_jax_are_accepted() -> None:
    compiled = ml.compile(ml.Linear(2), ml.JaxBackend(), shapes={"input": ["N", 3]})
    params = {key: jnp.asarray(value) for key, value in compiled.get_parameters().items()}
    made = compiled.evaluate(params, {"input": jnp.ones((2, 3))})
    assert np.asarray(made["output"]).shape == (2, 2)


def test_parameters_are_a_pytree() -> None:
    compiled = compiled_classifier(ml.JaxBackend())
    params, data = compiled.get_parameters(), batch(0)
    data["x"] = data["x"].astype(np.float32)
    state = compiled.initial_state_dict
    before = compiled.evaluate(params, data, state=state)[0]["final_cost"]
    for _ in range(20):
        _, gradients, state = compiled.evaluate(params, data, output_gradients=True, state=state)
        params = jax.tree.map(lambda p, g: p - 0.1 * g, params, gradients)
    assert compiled.evaluate(params, data, state=state)[0]["final_cost"] < before


def test_arrays_are_of_jax() -> None:
    backend = ml.JaxBackend(ml.float64)
    assert backend.zeros(2, 3).dtype == np.float64
    assert backend.full((2,), 1.5).tolist() == [1.5, 1.5]
    assert backend.ones(2).tolist() == [1, 1]
    assert backend.array([1, 2]).dtype == np.int64
    assert isinstance(backend.array([1.0]), jax.Array)
    assert repr(ml.JaxBackend(device="cpu")) == "JaxBackend(device='cpu')"


def test_hooks_and_devices_that_are_not_there_are_refused() -> None:
    compiled = ml.compile(ml.Linear(2), ml.JaxBackend(), shapes={"input": [2, 3]})
    with pytest.raises(ml.BackendError, match="shows no values of nodes") as raised:
        compiled.register_hook("output", lambda value: None)
    expected = (
        "mithril.BackendError[E1035]: JaxBackend compiles a graph as a whole, and shows no values "
        "of nodes"
    )
    assert str(raised.value).startswith(expected)
    with pytest.raises(ml.BackendError, match="there is no device 'nothing'"):
        ml.JaxBackend(device="nothing")


def test_without_jax_the_backend_names_the_package_to_install() -> None:
    code = (
        "import sys; sys.modules['jax'] = None\n"
        "import mithril as ml\n"
        "try:\n"
        "    ml.JaxBackend()\n"
        "except ml.BackendError as error:\n"
        "    print(error)\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], env=environment(), capture_output=True, text=True, check=True
    )
    expected = "mithril.BackendError[E1036]: JaxBackend needs JAX, which is not installed"
    assert run.stdout.startswith(expected)


@pytest.mark.parametrize("file", ["primitives.json", "models.json", "train_models.json"])
@pytest.mark.slow
def test_no_conformance_case_fails(file: str) -> None:
    outcomes = run_file(CONFORMANCE / file, "jax", TOLERANCE)
    failures = [
        outcome for outcome in outcomes if outcome.failure and outcome.lacks not in NOT_THERE_YET
    ]
    # JAX takes numbers below the smallest normal number for 0.
    assert [failure for failure in failures if "test_robust_log_3:" not in f"{failure.name}:"] == []


@pytest.mark.parametrize("name", ["mlp", "norms", "convolutions"])
@pytest.mark.sampled(3)
@pytest.mark.slow
def test_a_step_is_that_of_the_cpu(name: str) -> None:
    compiled = compiled_case(name, ml.CpuBackend(ml.float64))
    engine = ml.GradDotProdEngineJAX(compiled, losses="losses", validation_batch_size=3)
    params, rng = compiled.get_parameters(), np.random.default_rng(0)
    for count in (5, 4):
        data, validation = CASES[name].data(rng, count), CASES[name].data(rng, 3)
        gradient, dots, loss = engine.compute_step(
            params, data["x"], data["y"], validation["x"], validation["y"]
        )
        expected = ml.PerSample(compiled, losses="losses").dots(params, data, validation)
        assert all(close(gradient[key], value) for key, value in expected.gradients.items())
        assert close(dots, expected.total)
        assert close(loss, np.mean(expected.validation_losses))
        assert isinstance(dots, jax.Array)


def test_a_model_with_dropout_keeps_its_state() -> None:
    compiled = dropout_model(ml.CpuBackend(ml.float64))
    engine = ml.GradDotProdEngineJAX(compiled, losses="losses", validation_batch_size=2)
    rng, params = np.random.default_rng(0), compiled.get_parameters()
    arrays = [rng.standard_normal(shape) for shape in ((4, 8), (4, 5), (2, 8), (2, 5))]
    before = {key: np.asarray(value).copy() for key, value in engine.state.items()}
    engine.compute_step(params, *arrays)
    assert any(not np.array_equal(engine.state[key], value) for key, value in before.items())


def test_errors_of_a_step_name_the_cause() -> None:
    compiled = compiled_case("mlp")
    engine = ml.GradDotProdEngineJAX(compiled, losses="losses", validation_batch_size=2)
    x, y = np.zeros((3, 8)), np.zeros((3, 5))
    with pytest.raises(ml.ValueError, match="there are 3 validation samples"):
        engine.compute_step(compiled.get_parameters(), x, y, x, y)
    with pytest.raises(ml.TypeError, match="inputs"):
        ml.GradDotProdEngineJAX(
            compiled, losses="losses", validation_batch_size=2, inputs=["x", "z"]
        )


def test_the_per_sample_graph_is_a_module(tmp_path: Path) -> None:
    compiled = compiled_case("mlp")
    rng = np.random.default_rng(0)
    data, validation = CASES["mlp"].data(rng, 3), CASES["mlp"].data(rng, 2)
    ml.PerSample(compiled, losses="losses").codegen(
        tmp_path / "dots.py", data=data, validation=validation
    )
    assert "def model(params, data):" in (tmp_path / "dots.py").read_text()
