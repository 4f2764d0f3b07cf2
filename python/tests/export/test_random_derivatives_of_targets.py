"""Derivatives of random models on PyTorch and JAX, in JavaScript and WebAssembly: equal to those
of the CPU backend, which test_random_derivatives compares with JAX's own.
"""

from pathlib import Path

import numpy as np
import pytest
from random_models import SHAPE, scalar_of
from web_tools import needs_node, needs_wasm, run, write_module

import mithril as ml

DATA = {"x": np.random.default_rng(0).normal(size=SHAPE)}


def derivatives(seeds: range) -> ml.Model:
    """One output: the gradients, products with Hessians and third derivatives of all models."""
    x = ml.IOKey("x", shape=SHAPE)
    made = []
    for seed in seeds:
        random = np.random.default_rng(seed)
        value = scalar_of(x, random)
        u, w = (random.normal(size=SHAPE) for _ in range(2))
        product = ml.hvp(value, x, u)
        made += [ml.gradient(value, x), product]
        if seed >= 200:
            made.append(ml.gradient((product * w).sum(), x))
    return ml.Model.create(all=ml.Concat(axis=0)(made))


def compiled_of(seeds: range, backend: object) -> ml.CompiledModel:
    return ml.compile(derivatives(seeds), backend, data_keys=set(DATA))


def check(got: np.ndarray, seeds: range) -> None:
    expected = np.asarray(compiled_of(seeds, ml.CpuBackend(ml.float64)).evaluate({}, DATA)["all"])
    assert got.dtype == np.float64
    for row in range(0, len(expected), SHAPE[0]):
        wanted = expected[row : row + SHAPE[0]]
        scale = max(1.0, float(np.abs(wanted).max()))
        found = got.reshape(expected.shape)[row : row + SHAPE[0]]
        np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-10 * scale)


def check_backend(name: str, seeds: range) -> None:
    if name == "jax":
        pytest.importorskip("jax")
    else:
        pytest.importorskip("mithril._torch", reason="torch is not built")
    backend = {"torch": ml.TorchBackend, "jax": ml.JaxBackend}[name](dtype=ml.float64)
    check(np.asarray(compiled_of(seeds, backend).evaluate({}, DATA)["all"]), seeds)


def check_web(target: str, seeds: range, folder: Path) -> None:
    folder = folder / str(seeds.start)
    module = write_module(target, compiled_of(seeds, ml.CpuBackend(ml.float64)), folder)
    ml.save(folder / "data.safetensors", DATA)
    lines = run(
        module,
        """
        const { x } = readSafetensors(await read("data.safetensors"));
        const model = await createModel();
        const { all } = model.evaluate({ x: x.data });
        for (const number of all) console.log(number);
        """,
    )
    check(np.array([float(line) for line in lines]), seeds)


@pytest.mark.parametrize("backend", ["torch", "jax"])
def test_backends(backend: str) -> None:
    check_backend(backend, range(198, 202))


@needs_node
def test_javascript(tmp_path: Path) -> None:
    check_web("javascript", range(198, 202), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["torch", "jax"])
def test_many_on_backends(backend: str) -> None:
    for first in range(0, 250, 10):
        check_backend(backend, range(first, first + 10))


@pytest.mark.slow
@needs_node
def test_many_in_javascript(tmp_path: Path) -> None:
    for first in range(0, 250, 10):
        check_web("javascript", range(first, first + 10), tmp_path)


@pytest.mark.slow
@needs_node
@needs_wasm
def test_wasm(tmp_path: Path) -> None:
    check_web("wasm", range(201, 202), tmp_path)
