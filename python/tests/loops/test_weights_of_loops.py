"""Loops on the CPU backend pack the weights of their steps once."""

from __future__ import annotations

import numpy as np
import pytest

import mithril as ml


def outputs_and_gradients(model: ml.Model, backend: ml.CpuBackend, data: dict[str, np.ndarray]):
    shapes = {key: list(value.shape) for key, value in data.items()}
    compiled = ml.compile(model, backend, shapes=shapes, data_keys=list(data))
    draw = np.random.default_rng(1).normal
    seeds = {key: draw(size=compiled.shapes[key]) for key in compiled.output_keys}
    keys = [*compiled.parameter_keys, *data]
    return compiled.evaluate(
        compiled.get_parameters(seed=0), data, output_gradients=seeds, gradient_keys=keys
    )


def check(model: ml.Model, data: dict[str, np.ndarray]) -> None:
    expected = outputs_and_gradients(model, ml.CpuBackend(ml.float64, reference=True), data)
    for threads in (1, 2):
        made = outputs_and_gradients(model, ml.CpuBackend(ml.float64, threads=threads), data)
        for own, other in zip(made, expected, strict=True):
            assert own.keys() == other.keys()
            for key, value in other.items():
                np.testing.assert_allclose(own[key], value, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("kind", ["RNN", "LSTM", "GRU"])
@pytest.mark.parametrize(("batch", "width"), [(1, 5), (3, 16), (4, 33), (32, 40), (33, 24)])
def test_layers_on_batches(kind: str, batch: int, width: int) -> None:
    model = getattr(ml, kind)(width, num_layers=2, bidirectional=batch == 4)
    check(model, {"input": np.random.default_rng(0).normal(size=(5, batch, 7))})


@pytest.mark.parametrize("length", [0, 1, 3])
def test_a_weight_of_each_outer_step(length: int) -> None:
    """The inner loop packs it in each outer step."""
    h, w = ml.IOKey("h", shape=[9, 6]), ml.IOKey("w", shape=[6, 6])
    step = ml.Model.create(h_next=ml.Tanh()(h @ w))
    inner = ml.Scan(step, carry={"h": "h_next"}, length=4)
    outer = ml.Model()
    outer |= inner(h="h", w="w", h_last="h_out")
    loop = ml.Scan(outer, carry={"h": "h_out"}, sequences=["w"], outputs=[])
    draw = np.random.default_rng(0).normal
    check(loop, {"h": draw(size=(9, 6)), "w": draw(size=(length, 6, 6))})
