"""LBFGS against torch.optim.LBFGS."""

import pickle
from typing import Any

import numpy as np
import pytest

import mithril as ml

torch: Any = pytest.importorskip("torch")

OPTIONS: list[dict[str, Any]] = [
    {},
    {"lr": 0.3, "max_iter": 7},
    {"line_search_fn": "strong_wolfe"},
    {"line_search_fn": "strong_wolfe", "history_size": 2, "max_iter": 30},
    {"line_search_fn": "strong_wolfe", "max_eval": 9, "lr": 0.5},
    {"tolerance_grad": 1e-2, "tolerance_change": 1e-4},
]
START = {"a": [[-1.2, 1.0], [0.5, 2.0]], "b": [1.5]}


def rosenbrock(a: Any, b: Any) -> Any:
    x = torch.cat([a.flatten(), b])
    return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum() / 100


def start() -> dict[str, np.ndarray]:
    return {key: np.array(value) for key, value in START.items()}


def closure(params: dict[str, Any]) -> tuple[float, dict[str, Any]]:
    leaves = {key: torch.tensor(value, requires_grad=True) for key, value in params.items()}
    loss = rosenbrock(**leaves)
    loss.backward()
    return loss.item(), {key: leaf.grad for key, leaf in leaves.items()}


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_steps_are_those_of_torch(options: dict[str, Any]) -> None:
    params = start()
    theirs = {key: torch.tensor(value, requires_grad=True) for key, value in params.items()}
    optimizer = torch.optim.LBFGS(list(theirs.values()), **options)
    ours = ml.LBFGS(**options)

    def their_closure() -> Any:
        optimizer.zero_grad()
        loss = rosenbrock(**theirs)
        loss.backward()
        return loss

    for _ in range(4):
        expected = optimizer.step(their_closure).item()
        assert ours.step(params, closure) == pytest.approx(expected, rel=1e-7)
        for key, value in params.items():
            np.testing.assert_allclose(value, theirs[key].detach(), rtol=1e-6, atol=1e-8)
        ours = pickle.loads(pickle.dumps(ours))
    state = optimizer.state_dict()["state"][0]
    kept = ours.state_dict()
    assert (kept["n_iter"], kept["func_evals"]) == (state["n_iter"], state["func_evals"])
    assert len(kept["old_dirs"]) == len(state["old_dirs"])


def test_a_model_is_trained() -> None:
    generator = np.random.default_rng(0)
    x, y = generator.normal(size=(20, 3)), generator.normal(size=(20, 2))
    model = ml.Model()
    model |= ml.Linear(2)(input="x", output="y")
    model |= ml.SquaredError()(input="y", target="target", output="errors")
    model |= ml.Mean()(input="errors", output="loss")
    backend = ml.CpuBackend(dtype=ml.float64)
    compiled = ml.compile(model, backend, shapes={"x": [20, 3]}, data_keys=["x", "target"])
    params = compiled.get_parameters()
    data = {"x": x, "target": y}

    def loss_of(params: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        outputs, gradients = compiled.evaluate(params, data, output_gradients={"loss": 1.0})
        return outputs["loss"], gradients

    lbfgs = ml.LBFGS(line_search_fn="strong_wolfe", max_iter=50)
    lbfgs.step(params, loss_of)
    with_ones = np.hstack([x, np.ones((20, 1))])
    solution = np.linalg.lstsq(with_ones, y, rcond=None)[0]
    np.testing.assert_allclose(np.asarray(params["linear.weight"]), solution[:3].T, atol=1e-5)
    np.testing.assert_allclose(np.asarray(params["linear.bias"]), solution[3], atol=1e-5)


def test_arrays_are_updated_in_place() -> None:
    whole = np.array([[1.0, 9.0], [2.0, 9.0]])
    params = {"x": whole[:, 0]}

    def square(params: dict[str, Any]) -> tuple[float, dict[str, Any]]:
        assert params["x"].base is whole
        return float((params["x"] ** 2).sum()), {"x": 2 * params["x"]}

    assert ml.LBFGS(line_search_fn="strong_wolfe").step(params, square) == 5
    np.testing.assert_allclose(whole, [[0, 9], [0, 9]], atol=1e-6)


def test_mistakes_are_named() -> None:
    with pytest.raises(ml.NameError, match="LBFGS has no line_search_fn"):
        ml.LBFGS(line_search_fn="wolfe")  # type: ignore[arg-type]
    with pytest.raises(ml.ValueError, match=r"\[E0406\].*max_iter"):
        ml.LBFGS(max_iter=0)
    with pytest.raises(ml.TypeError, match="a pair: the loss, and a dict of its gradients"):
        ml.LBFGS().step(start(), lambda params: 1.0)  # type: ignore[arg-type, return-value]
    params = start()

    def fails(params: dict[str, Any]) -> Any:
        if params["b"][0] != 1.5:
            raise RuntimeError("stop")
        return closure(params)

    with pytest.raises(RuntimeError, match="stop"):
        ml.LBFGS().step(params, fails)
    np.testing.assert_array_equal(params["b"], START["b"])
