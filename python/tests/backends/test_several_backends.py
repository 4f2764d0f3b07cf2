"""ml.compile(model, backends={...}), beside one backend."""

from __future__ import annotations

import pickle
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

import mithril as ml

WITH_TORCH = find_spec("torch") is not None and find_spec("mithril._torch") is not None
WITH_JAX = find_spec("jax") is not None
SHAPES = {"x": [None, 4], "y": [None]}


def network() -> ml.Model:
    net = ml.Model()
    net |= ml.Linear(8, name="body")(input="x")
    net += ml.BatchNorm1D(name="norm")
    net += ml.Gelu()
    net += ml.Dropout(0.2, name="drop")
    net += ml.Linear(3, name="head")(output="out")
    return net


def trained() -> ml.TrainModel:
    model = ml.TrainModel(network())
    model.add_loss(ml.CrossEntropy(), input="out", target="y", reduce_steps=[ml.Mean()])
    return model


def part(name: str) -> str:
    """The path of a part of the network in the training model."""
    return f"model.{name}"


def placements() -> list[dict[str, Any]]:
    ways: list[dict[str, Any]] = [
        {"": ml.CpuBackend(), part("head"): ml.CpuBackend(reference=True)}
    ]
    if WITH_TORCH:
        ways.append({"": ml.TorchBackend(), part("head"): ml.CpuBackend()})
        ways.append({"": ml.CpuBackend(), part("norm"): ml.TorchBackend()})
    if WITH_JAX:
        ways.append({"": ml.CpuBackend(), part("body"): ml.JaxBackend()})
    return ways


def batch(seed: int, count: int = 6) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((count, 4)).astype(np.float32)
    return {"x": x, "y": rng.integers(0, 3, count)}


def assert_close(got: dict[str, Any], expected: dict[str, Any], tolerance: float = 1e-4) -> None:
    assert list(got) == list(expected)
    for key, value in expected.items():
        np.testing.assert_allclose(
            np.asarray(got[key]), np.asarray(value), rtol=tolerance, atol=tolerance, err_msg=key
        )


def compiled_for(backends: dict[str, Any]) -> ml.CompiledModel:
    return ml.compile(trained(), backends=backends, shapes=SHAPES, data_keys={"x", "y"})


def compiled_for_one() -> ml.CompiledModel:
    return ml.compile(trained(), ml.CpuBackend(), shapes=SHAPES, data_keys={"x", "y"})


@pytest.mark.parametrize("backends", placements(), ids=str)
def test_outputs_gradients_and_states_are_those_of_one_backend(backends: dict[str, Any]) -> None:
    one, several = compiled_for_one(), compiled_for(backends)
    params = one.get_parameters()
    assert_close(several.get_parameters(), params)
    state, expected_state = several.initial_state_dict, one.initial_state_dict
    for seed in range(3):
        data = batch(seed, 5 + seed)
        got = several.evaluate(several.get_parameters(), data, True, state)
        expected = one.evaluate(params, data, True, expected_state)
        for result, wanted in zip(got, expected, strict=True):
            assert_close(result, wanted)
        state, expected_state = got[-1], expected[-1]
    assert_close(several.infer(params, batch(9), state), one.infer(params, batch(9), state))


@pytest.mark.parametrize("backends", placements(), ids=str)
def test_training_steps_are_those_of_one_backend(backends: dict[str, Any]) -> None:
    losses = []
    for compiled in (compiled_for_one(), compiled_for(backends)):
        params = {key: np.asarray(value).copy() for key, value in compiled.get_parameters().items()}
        step = ml.TrainingStep(compiled, ml.Adam(0.01), max_norm=1.0)
        losses.append([float(step(params, batch(seed))["final_cost"]) for seed in range(10)])
    np.testing.assert_allclose(losses[1], losses[0], rtol=1e-4)


def test_a_hook_sees_a_value_of_another_backend() -> None:
    backends = placements()[-2 if WITH_JAX else -1]
    compiled, seen = compiled_for(backends), []
    compiled.register_hook("out", lambda value: seen.append(np.asarray(value).shape))
    compiled.evaluate(compiled.get_parameters(), batch(0), True, compiled.initial_state_dict)
    assert seen == [(6, 3)]


def test_the_summary_names_the_parts_and_the_values_that_cross() -> None:
    backends = {"": ml.CpuBackend(), "head": ml.CpuBackend(reference=True)}
    compiled = ml.compile(network(), backends=backends, shapes={"x": [8, 4]}, inference=True)
    lines = compiled.summary().splitlines()
    assert "head runs on cpu" in lines
    crossing = [line for line in lines if line.startswith("crossing from cpu (1) to cpu (2): ")]
    assert len(crossing) == 1
    assert crossing[0].endswith("float32[8, 8], 256 B, shared")
    assert "crossing from cpu (2) to cpu (1): out, float32[8, 3], 96 B, shared" in lines
    assert lines[-1] == "2 values cross between backends in each evaluation, 352 B"


def test_a_pickled_model_runs_on_the_same_backends() -> None:
    compiled = compiled_for({"": ml.CpuBackend(), part("head"): ml.CpuBackend(reference=True)})
    again = pickle.loads(pickle.dumps(compiled))
    assert again.summary() == compiled.summary()
    params, state = compiled.get_parameters(), compiled.initial_state_dict
    for got, expected in zip(
        again.evaluate(params, batch(1), True, state),
        compiled.evaluate(params, batch(1), True, state),
        strict=True,
    ):
        assert_close(got, expected, 0)


def test_a_path_that_no_part_has_is_refused() -> None:
    with pytest.raises(ml.NameError, match=r"E0645.*there is no part 'haed'") as caught:
        ml.compile(network(), backends={"": ml.CpuBackend(), "haed": ml.CpuBackend()})
    assert "did you mean 'head'" in str(caught.value)


def test_backends_that_share_no_dtype_are_refused() -> None:
    with pytest.raises(ml.BackendError, match="E1061"):
        ml.compile(
            network(), backends={"": ml.CpuBackend(), "head": ml.CpuBackend(dtype=ml.float64)}
        )


def test_a_backend_or_backends_are_given() -> None:
    with pytest.raises(ml.ValueError) as caught:
        ml.compile(network(), ml.CpuBackend(), backends={"": ml.CpuBackend()})
    assert str(caught.value) == (
        "mithril.ValueError[E0437]: compile takes either a backend or backends\n"
        '  help: name the backend in backends, at the path ""'
    )
    with pytest.raises(ml.TypeError, match="compile: argument 'backends' has the wrong kind"):
        ml.compile(network(), backends=[ml.CpuBackend()])  # type: ignore[arg-type]
    with pytest.raises(ml.TypeError, match="compile: argument 'backend' is missing"):
        ml.compile(network())
