"""Choices between two models in files, in training, under torch and in other precisions."""

import pickle

import numpy as np
import pytest
from branch_models import BRANCHES, arrays, compiled_by, own_parameters, parameters_of, tail

import mithril as ml

CPU = ml.CpuBackend(dtype=ml.float64)


@pytest.mark.parametrize("dtype", [ml.float32, ml.float16, ml.bfloat16])
def test_lower_precisions(dtype):
    for chosen in (True, False):
        found = []
        for backend in (CPU, ml.CpuBackend(dtype=dtype)):
            compiled = ml.compile(
                ml.Cond("large", *BRANCHES["layers"]()), backend, shapes={"x": [2, 4]}
            )
            params = parameters_of(compiled)
            narrow = np.float32 if dtype != ml.float64 and backend is not CPU else np.float64
            data = {"x": np.linspace(-1, 1, 8).reshape(2, 4).astype(narrow)}
            out, grad = compiled.evaluate(
                {key: np.asarray(value, narrow) for key, value in params.items()},
                data | {"large": np.array(chosen)},
                output_gradients={"y": np.ones((2, 4), narrow)},
            )
            found.append(arrays(out | grad))
        for key, value in found[0].items():
            np.testing.assert_allclose(found[1][key], value, rtol=5e-2, atol=5e-2, err_msg=key)


def test_files_and_packages_keep_choices(tmp_path):
    model = ml.Cond("large", *BRANCHES["layers"]())
    model.set_shapes({"x": ["n", 4]})
    compiled = ml.compile(model, CPU)
    params = parameters_of(compiled)
    data = {"x": np.ones((2, 4)), "large": np.array(True)}
    expected = compiled.evaluate(params, data)["y"]
    again = ml.compile(pickle.loads(pickle.dumps(model)), CPU)
    np.testing.assert_array_equal(again.evaluate(params, data)["y"], expected)
    read = pickle.loads(pickle.dumps(compiled))
    np.testing.assert_array_equal(read.evaluate(params, data)["y"], expected)
    np.testing.assert_allclose(compiled.bind(params).evaluate({}, data)["y"], expected, rtol=1e-12)
    ml.save_package(tmp_path / "choice", model, params)
    package = ml.load_package(tmp_path / "choice").compile(CPU)
    np.testing.assert_allclose(package.evaluate({}, data)["y"], expected, rtol=1e-12)
    assert "branch" in model.summary().lower()


def test_training_of_both_models():
    """Each learns from the samples that choose it."""
    net = ml.Model()
    net |= ml.Cond("large", ml.Linear(1), ml.Linear(1))(input="x", large="large", output="y")
    model = ml.TrainModel(net)
    model.add_loss(ml.SquaredError(), input="y", target="target")
    compiled = ml.compile(
        model, CPU, shapes={"x": [4, 2], "target": [4, 1]}, data_keys=["x", "target", "large"]
    )
    params = compiled.get_parameters()
    step = ml.TrainingStep(compiled, ml.Adam(lr=0.05))
    x = np.random.default_rng(0).normal(size=(4, 2))
    batches = [
        {"x": x, "large": np.array(True), "target": x[:, :1] * 2},
        {"x": x, "large": np.array(False), "target": x[:, 1:] - 1},
    ]
    for _ in range(400):
        costs = [float(step(params, batch)["final_cost"]) for batch in batches]
    assert max(costs) < 1e-3


@pytest.mark.parametrize("chosen", [True, False])
def test_torch_differentiates_a_choice(chosen):
    torch = pytest.importorskip("torch")
    make = BRANCHES["layers"]
    compiled = compiled_by(
        ml.Cond("large", *make()), ml.TorchBackend(dtype=ml.float64, requires_grad=True)
    )
    alone = compiled_by(make()[0 if chosen else 1], CPU)
    params = parameters_of(compiled)
    x = np.random.default_rng(4).normal(size=(2, 4))
    own = own_parameters(alone, params)
    out, expected = alone.evaluate(own, {"x": x}, output_gradients={"y": np.ones((2, 4))})
    given = {key: torch.tensor(value, requires_grad=True) for key, value in params.items()}
    got = compiled.evaluate(given, {"x": torch.tensor(x), "large": torch.tensor(chosen)})
    np.testing.assert_allclose(got["y"].detach(), out["y"], rtol=1e-12)
    got["y"].sum().backward()
    expected = {tail(key): value for key, value in expected.items()}
    for key, value in given.items():
        zeros = np.zeros_like(params[key])
        np.testing.assert_allclose(value.grad, expected.get(tail(key), zeros), rtol=1e-10)


@pytest.mark.parametrize("chosen", [True, False])
def test_mixed_precision(chosen):
    found = []
    for backend in (CPU, ml.CpuBackend(use_amp=True)):
        compiled = compiled_by(ml.Cond("large", *BRANCHES["layers"]()), backend)
        dtype = np.float64 if backend is CPU else np.float32
        params = {key: value.astype(dtype) for key, value in parameters_of(compiled).items()}
        data = {"x": np.linspace(-1, 1, 8, dtype=dtype).reshape(2, 4), "large": np.array(chosen)}
        seeds = {"y": np.ones((2, 4), dtype)}
        out, grad = compiled.evaluate(params, data, output_gradients=seeds)
        assert np.asarray(out["y"]).dtype == dtype
        found.append(arrays(out | grad))
    for key, value in found[0].items():
        np.testing.assert_allclose(found[1][key], value, rtol=2e-2, atol=2e-2, err_msg=key)
