"""Hooks on the values inside a vmap see, and may replace, the values of all indices."""

from typing import Any

import numpy as np
import pytest

import mithril as ml

torch = pytest.importorskip("torch")


def cubes(backend: Any) -> ml.CompiledModel:
    """y = sin(x)^3 + w for each row of x, which has its new axis last."""
    x, w = ml.IOKey("x", shape=[3]), ml.IOKey("w", shape=[3])
    s = x.sin()
    net = ml.Model.create(y=s * s * s + w)
    mapped = ml.vmap(net, in_axes={"x": 1})
    return ml.compile(mapped, backend, shapes={"x": [3, 5]}, data_keys=["x", "w"])


@pytest.mark.parametrize("make", [ml.CpuBackend, ml.TorchBackend])
def test_a_hook_inside_a_vmap_sees_all_indices(make: Any) -> None:
    compiled = cubes(make(dtype=ml.float64))
    data = {"x": np.random.default_rng(0).normal(size=(3, 5)), "w": np.ones(3)}
    seen: dict[str, Any] = {}
    for name in ("rowof.output", "model.sine.output"):
        compiled.register_hook(
            name, lambda value, key=name: seen.update({key: np.asarray(value).copy()})
        )
    compiled.register_hook(
        "model.sine.output",
        lambda value: seen.update(gradient=np.asarray(value).copy()),
        gradient=True,
    )
    seed = np.random.default_rng(1).normal(size=(5, 3))
    native = to_backend(make, {"y": seed})
    out, grad = compiled.evaluate(
        {}, to_backend(make, data), output_gradients=native, gradient_keys=["x"]
    )
    sine = np.sin(data["x"].T)
    np.testing.assert_allclose(np.asarray(out["y"]), sine**3 + 1, rtol=1e-12)
    np.testing.assert_allclose(seen["rowof.output"], data["x"].T, rtol=1e-12)
    np.testing.assert_allclose(seen["model.sine.output"], sine, rtol=1e-12)
    np.testing.assert_allclose(seen["gradient"], seed * 3 * sine**2, rtol=1e-12)
    slope = (seed * 3 * sine**2 * np.cos(data["x"].T)).T
    np.testing.assert_allclose(np.asarray(grad["x"]), slope, rtol=1e-12)


def to_backend(make: Any, values: dict[str, np.ndarray]) -> dict[str, Any]:
    if make is not ml.TorchBackend:
        return dict(values)
    return {key: torch.tensor(value) for key, value in values.items()}


@pytest.mark.parametrize("path", ["rowof.output", "model.sine.output"])
def test_a_hook_inside_a_vmap_replaces_all_indices(path: str) -> None:
    compiled = cubes(ml.CpuBackend(ml.float64))
    compiled.register_hook(path, lambda value: np.asarray(value) * 0.5)
    data = {"x": np.random.default_rng(0).normal(size=(3, 5)), "w": np.ones(3)}
    x = data["x"].T
    sine = np.sin(x * 0.5) if path == "rowof.output" else np.sin(x) * 0.5
    got = compiled.evaluate({}, data)["y"]
    np.testing.assert_allclose(np.asarray(got), sine**3 + 1, rtol=1e-12)


def test_hooks_in_a_vmap_in_a_vmap_and_in_its_derivative() -> None:
    x = ml.IOKey("x", shape=[])
    net = ml.vmap(ml.Model.create(y=x.sin() * x), in_axes={"x": 0})
    mapped = ml.vmap(ml.Gradient(net, of="y", wrt=["x"]), in_axes={"x": 1, "y.grad": 0})
    compiled = ml.compile(
        mapped, ml.CpuBackend(ml.float64), shapes={"x": [4, 2]}, data_keys=["x", "y.grad"]
    )
    (path,) = (part.path for part in mapped.walk() if part.class_name == "Sine")
    seen = []
    compiled.register_hook(f"{path}.output", lambda value: seen.append(np.asarray(value).copy()))
    values = np.random.default_rng(0).normal(size=(4, 2))
    out = compiled.evaluate({}, {"x": values, "y.grad": np.ones((2, 4))})
    assert seen
    for value in seen:
        np.testing.assert_allclose(value, np.sin(values.T), rtol=1e-12)
    slope = np.cos(values.T) * values.T + np.sin(values.T)
    np.testing.assert_allclose(np.asarray(out["x.grad"]), slope, rtol=1e-12)


def test_a_hook_on_a_row_of_a_vmap_in_a_loop() -> None:
    body = ml.Model.create(h_next=ml.IOKey("h", shape=[2]) + ml.IOKey("w", shape=[2]))
    step = ml.Model()
    step |= ml.vmap(body, in_axes={"w": 0}, size=3)(h="h", w="w", h_next="all")
    step |= ml.Sum(axis=0)(input="all", output="h_next")
    step.expose_keys("h_next")
    loop = ml.Scan(step, carry={"h": "h_next"}, length=2)
    compiled = ml.compile(
        loop,
        ml.CpuBackend(ml.float64),
        shapes={"h": [2], "w": [3, 2]},
        data_keys=["h", "w"],
    )
    seen = []
    compiled.register_hook(
        "model.vmap.rowof.output", lambda value: seen.append(np.asarray(value).copy())
    )
    h, w = np.zeros(2), np.random.default_rng(0).normal(size=(3, 2))
    out = compiled.evaluate({}, {"h": h, "w": w})["h_last"]
    np.testing.assert_allclose(np.asarray(out), w.sum(0) * 3 + w.sum(0), rtol=1e-12)
    for value in seen:
        np.testing.assert_allclose(value, w, rtol=1e-12)
    assert seen


def test_a_replacement_that_does_not_fit_is_named_as_the_hook() -> None:
    compiled = cubes(ml.CpuBackend(ml.float64))
    compiled.register_hook("model.sine.output", lambda value: np.zeros(3))
    with pytest.raises(ml.InputError) as raised:
        compiled.evaluate({}, {"x": np.ones((3, 5)), "w": np.ones(3)})
    assert str(raised.value) == (
        "mithril.InputError[E0810]: model.sine.output: a hook returned a tensor that cannot "
        "replace the value\n"
        "  shown : float64[5, 3]\n"
        "  given : float64[3]\n"
        "  help: give one of the same dims, or nothing"
    )
