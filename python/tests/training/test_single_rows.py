"""Batch norm in training on batches of one row or none: the running statistics stay numbers."""

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mithril as ml

Arrays = dict[str, Any]
MOMENTUM, EPS = 0.25, 0.5
BACKENDS: dict[str, Any] = {"cpu": ml.CpuBackend, "torch": ml.TorchBackend, "jax": ml.JaxBackend}
STATE = {"running_mean": np.array([1.0, -2, 3]), "running_var": np.array([0.5, 1, 4])}
SHAPES: list[list[int]] = [[1, 3], [1, 3, 1, 1]]


def backend_of(kind: str, **options: Any) -> Any:
    if kind == "jax" and importlib.util.find_spec("jax") is None:
        pytest.skip("jax is not installed")
    return BACKENDS[kind](**options)


def norm_of(rank: int) -> ml.Model:
    kind = ml.BatchNorm1D if rank == 2 else ml.BatchNorm2D
    net = ml.Model()
    net |= kind(3, momentum=MOMENTUM, eps=EPS, name="norm")(input="x", output="y")
    return net


def state_after(x: np.ndarray) -> Arrays:
    """The running statistics after a batch, from their definition."""
    mean, variance = STATE["running_mean"], STATE["running_var"]
    values = np.moveaxis(x, 1, 0).reshape(3, -1)
    count = values.shape[1]
    if count == 0:
        return STATE
    of_batch = values.var(axis=1) * count / max(count - 1, 1)
    return {
        "running_mean": mean * (1 - MOMENTUM) + values.mean(axis=1) * MOMENTUM,
        "running_var": variance * (1 - MOMENTUM) + of_batch * MOMENTUM,
    }


def named(state: Arrays) -> Arrays:
    return {key.rsplit(".", 1)[-1]: np.asarray(value) for key, value in state.items()}


@pytest.mark.parametrize("rows", [2, 1, 0])
@pytest.mark.parametrize("dims", [[3], [3, 1, 1]], ids=str)
@pytest.mark.parametrize("kind", BACKENDS)
def test_running_statistics_after_a_batch(kind: str, dims: list[int], rows: int) -> None:
    x = np.arange(rows * 3, dtype=np.float64).reshape([rows, *dims]) ** 2 - 1
    backend = backend_of(kind, dtype=ml.float64)
    shape = [None, *dims]
    compiled = ml.compile(norm_of(len(shape)), backend, shapes={"x": shape}, data_keys={"x"})
    params = compiled.randomize_params(0)
    state = {key: STATE[key.rsplit(".", 1)[-1]] for key in compiled.initial_state_dict}
    outputs, after = compiled.evaluate(params, {"x": x}, state=state)
    assert np.isfinite(np.asarray(outputs["y"])).all()
    for key, wanted in state_after(x).items():
        np.testing.assert_allclose(named(after)[key], wanted, rtol=1e-14, err_msg=key)


@pytest.mark.parametrize("kind", ["cpu", "torch"])
def test_fit_with_a_last_batch_of_one_row(kind: str) -> None:
    layers = ml.Model()
    layers |= ml.Linear(16)(input="x")
    layers += ml.BatchNorm1D()
    layers += ml.Relu()
    layers += ml.Linear(3)(output="scores")
    train = ml.TrainModel(layers)
    train.add_loss(ml.CrossEntropy(), input="scores", target="label")
    x = np.random.default_rng(0).standard_normal((33, 4)).astype(np.float32)
    data = {"x": x, "label": x[:, :3].argmax(1)}
    compiled = ml.compile(train, backend_of(kind), shapes={"x": [None, 4]})
    step = ml.TrainingStep(compiled, ml.SGD(0.05))
    history = ml.fit(step, data, epochs=3, batch_size=16, progress=False)
    for values in (history.params, history.best_state, step.state):
        for key, value in values.items():
            assert np.isfinite(np.asarray(value)).all(), key
    assert all(np.asarray(named(step.state)["running_var"]) > 0)
    scores = compiled.infer(history.params, {"x": x}, history.best_state)["scores"]
    assert np.isfinite(np.asarray(scores)).all()


@pytest.mark.parametrize("dtype", [ml.float16, ml.bfloat16], ids=str)
def test_half_precision_on_torch(dtype: Any) -> None:
    cpu, torch = (
        ml.compile(norm_of(2), kind(dtype=dtype), shapes={"x": [1, 3]}, data_keys={"x"})
        for kind in (ml.CpuBackend, ml.TorchBackend)
    )
    params, results = cpu.randomize_params(0), []
    for compiled in (cpu, torch):
        state = compiled.initial_state_dict
        for value in (1, 3.25):
            x = np.full((1, 3), value, np.float32)
            _, state = compiled.evaluate(params, {"x": x}, state=state)
        results.append({key: np.asarray(ml_array(value)) for key, value in state.items()})
    for key, value in results[0].items():
        assert np.isfinite(value).all()
        np.testing.assert_array_equal(results[1][key], value, err_msg=key)


def ml_array(value: Any) -> np.ndarray:
    return np.asarray(value.float() if hasattr(value, "float") else value, np.float32)


def test_a_step_in_an_onnx_file_has_any_number_of_rows(tmp_path: Path) -> None:
    net = norm_of(2)
    train = ml.TrainModel(net)
    train.add_loss(ml.SquaredError(), input="y", target="t", reduce_steps=[ml.Sum()])
    shapes = {"x": ["N", 3], "t": ["N", 3]}
    compiled = ml.compile(train, ml.CpuBackend(dtype=ml.float64), shapes=shapes)
    params = {key: np.array(value) for key, value in compiled.randomize_params(0).items()}
    step = ml.TrainingStep(compiled, ml.SGD(0.1))
    sample = {"x": np.ones((4, 3)), "t": np.ones((4, 3))}
    values = ml.to_onnx(step, tmp_path / "step.onnx", params, data=sample)
    for rows in (4, 1, 0):
        data = {"x": np.arange(rows * 3.0).reshape(rows, 3), "t": np.ones((rows, 3))}
        sizes = {key: value.shape for key, value in data.items()}
        model, own, names = ml.from_onnx(tmp_path / "step.onnx", shapes=sizes, dtype=ml.float64)
        keys = [key for key in model.input_keys if key not in own]
        loaded = ml.compile(model, ml.CpuBackend(dtype=ml.float64), data_keys=keys, inference=True)
        given = {**values, **data}
        outputs = loaded.evaluate(own, {key: given[names.get(key, key)] for key in keys})
        for key, value in outputs.items():
            assert np.isfinite(np.asarray(value)).all(), (rows, names.get(key, key))
