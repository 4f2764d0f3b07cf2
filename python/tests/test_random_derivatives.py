"""Derivatives of random models, against JAX's derivatives of the same models.

JAX differentiates the forward graph of each model (`ml.to_jax`), so the two share no gradient.
"""

import runpy
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from random_models import SHAPE, scalar_of

import mithril as ml

jax = pytest.importorskip("jax")


@pytest.fixture(autouse=True)
def double_precision():
    before = jax.config.read("jax_enable_x64")
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", before)


def function_of_jax(seed: int, folder: Path) -> Callable:
    x = ml.IOKey("x", shape=SHAPE)
    model = ml.Model.create(output=scalar_of(x, np.random.default_rng(seed)))
    path = folder / f"model_{seed}.py"
    ml.to_jax(ml.compile(model, ml.CpuBackend(ml.float64), data_keys={"x"}), path)
    evaluate = runpy.run_path(str(path))["model"]
    return lambda at: evaluate({}, {"x": at})["output"]


def check_orders(seed: int, orders: int, folder: Path) -> None:
    """Compares the gradient, H u, and for a third order the gradient of w . H u."""
    function = function_of_jax(seed, folder)
    random = np.random.default_rng(seed)
    x = ml.IOKey("x", shape=SHAPE)
    value = scalar_of(x, random)
    u, w, at = (random.normal(size=SHAPE) for _ in range(3))
    product = ml.hvp(value, x, u)
    outputs = {"gradient": ml.gradient(value, x), "hvp": product}
    if orders > 2:
        outputs["third"] = ml.gradient((product * w).sum(), x)
    compiled = ml.compile(ml.Model.create(**outputs), ml.CpuBackend(ml.float64), data_keys={"x"})
    got = compiled.evaluate({}, {"x": at})

    def hessian_product(at: jax.Array) -> jax.Array:
        return jax.jvp(jax.grad(function), (at,), (u,))[1]

    expected = {"gradient": jax.grad(function)(at), "hvp": hessian_product(at)}
    if orders > 2:
        expected["third"] = jax.grad(lambda at: (hessian_product(at) * w).sum())(at)
    for name, value in expected.items():
        scale = max(1.0, float(np.abs(value).max()))
        np.testing.assert_allclose(got[name], value, rtol=0, atol=1e-10 * scale, err_msg=name)


def check_vmap(seed: int) -> None:
    """Compares a model, its gradient and its Hessian over a new axis with a loop over the axis."""

    def model_of(random: np.random.Generator) -> ml.Model:
        x = ml.IOKey("x", shape=SHAPE)
        value = scalar_of(x, random)
        curved = ml.hessian(value, x).reshape((12, 12))
        return ml.Model.create(value=value, slope=ml.gradient(value, x), curved=curved)

    backend = ml.CpuBackend(ml.float64)
    rows = np.random.default_rng(seed + 1).normal(size=(3, *SHAPE))
    alone = ml.compile(model_of(np.random.default_rng(seed)), backend, data_keys={"x"})
    mapped = ml.compile(
        ml.vmap(model_of(np.random.default_rng(seed)), in_axes={"x": 0}, out_axes={"slope": 1}),
        backend,
        data_keys={"x"},
    )
    got = mapped.evaluate({}, {"x": rows})
    each = [alone.evaluate({}, {"x": row}) for row in rows]
    for name, axis in {"value": 0, "slope": 1, "curved": 0}.items():
        expected = np.stack([outputs[name] for outputs in each], axis)
        scale = max(1.0, float(np.abs(expected).max()))
        np.testing.assert_allclose(got[name], expected, rtol=0, atol=1e-10 * scale, err_msg=name)


@pytest.mark.parametrize("seed", range(4))
def test_vmap_of_random_models_is_a_loop(seed: int) -> None:
    check_vmap(seed)


@pytest.mark.slow
def test_vmap_of_many_random_models_is_a_loop() -> None:
    for seed in range(4, 200):
        check_vmap(seed)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("seed", range(4))
def test_second_derivatives_of_random_models_are_those_of_jax(seed: int, tmp_path: Path) -> None:
    check_orders(seed, 2, tmp_path)


@pytest.mark.parametrize("seed", range(200, 202))
def test_third_derivatives_of_random_models_are_those_of_jax(seed: int, tmp_path: Path) -> None:
    check_orders(seed, 3, tmp_path)


@pytest.mark.slow
def test_second_derivatives_of_many_random_models_are_those_of_jax(tmp_path: Path) -> None:
    for seed in range(4, 200):
        check_orders(seed, 2, tmp_path)


@pytest.mark.slow
def test_third_derivatives_of_many_random_models_are_those_of_jax(tmp_path: Path) -> None:
    for seed in range(202, 250):
        check_orders(seed, 3, tmp_path)
