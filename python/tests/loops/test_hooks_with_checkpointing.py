"""Steps of loops that use_checkpointing divides: hooks read the step of the whole loop."""

from typing import Any

import numpy as np
import pytest
from test_hooks_in_loops import Calls, backend

import mithril as ml

__all__ = ["backend"]
WIDTH = 3


def step() -> ml.Model:
    body = ml.Model()
    body |= ml.Linear(WIDTH)(input="x", output="a")
    body |= ml.Multiply()(left="a", right="h", output="b")
    body |= ml.Tanh()(input="b", output="h_next")
    body.set_shapes(h=[2, WIDTH])
    body.expose_keys("h_next")
    return body


def compiled_of(backend: Any, loop: ml.Model, x: list[int | None]) -> ml.CompiledModel:
    shapes = {"x": x, "h": [2, WIDTH]}
    return ml.compile(loop, backend, shapes=shapes, data_keys=["x", "h"], use_checkpointing=True)


def drawn(*dims: int) -> dict[str, np.ndarray]:
    draw = np.random.default_rng(len(dims)).normal
    return {"x": draw(size=dims), "h": draw(size=(2, WIDTH))}


def steps_of(calls: Calls, values: np.ndarray) -> list[tuple[int, ...]]:
    """The steps in the order of the calls. Each call has the value of its step."""
    for at, value in zip(calls.steps, calls.values, strict=True):
        np.testing.assert_allclose(value, values[at], rtol=1e-12)
    return calls.steps


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("is_open", [False, True])
@pytest.mark.parametrize("length", [3, 4, 5, 12, 13, 70])
def test_a_hook_reads_the_step(backend: Any, length: int, is_open: bool, reverse: bool) -> None:
    """13 and 70 steps leave some over."""
    loop = ml.Scan(
        step(), carry={"h": "h_next"}, sequences=["x"], outputs=["h_next"], reverse=reverse
    )
    compiled = compiled_of(backend, loop, [None if is_open else length, 2, WIDTH])
    seen, slopes = Calls(), Calls()
    compiled.register_hook("model.tanh.output", seen)
    compiled.register_hook("model.multiply.output", slopes, gradient=True)
    params, data = compiled.get_parameters(seed=0), drawn(length, 2, WIDTH)
    out, _ = compiled.evaluate(
        params, data, output_gradients={"h_next": np.ones((length, 2, WIDTH))}
    )
    steps = steps_of(seen, np.asarray(out["h_next"]))
    order = [(t,) for t in range(length)]
    if reverse:
        order.reverse()
    assert steps[:length] == order
    assert set(steps[length:]) <= set(order)
    assert slopes.steps == order[::-1]
    assert ml.loop_steps() == ()


@pytest.mark.parametrize("lengths", [(4, 9), (5, 7), (13, 4)])
def test_a_hook_in_a_loop_in_a_loop_reads_both_steps(backend: Any, lengths: Any) -> None:
    inner = ml.Scan(step(), carry={"h": "h_next"}, sequences=["x"], outputs=["h_next"])
    body = ml.Model()
    body |= inner(x="x", h="h", h_next="all", h_last="last")
    body.expose_keys("all", "last")
    body.set_shapes(h=[2, WIDTH])
    loop = ml.Scan(body, carry={"h": "last"}, sequences=["x"], outputs=["all"])
    compiled = compiled_of(backend, loop, [*lengths, 2, WIDTH])
    seen, slopes = Calls(), Calls()
    compiled.register_hook("model.scan.model.tanh.output", seen)
    compiled.register_hook("model.scan.model.multiply.output", slopes, gradient=True)
    params, data = compiled.get_parameters(seed=0), drawn(*lengths, 2, WIDTH)
    out, _ = compiled.evaluate(
        params, data, output_gradients={"all": np.ones((*lengths, 2, WIDTH))}
    )
    steps = steps_of(seen, np.asarray(out["all"]))
    order = list(np.ndindex(lengths))
    assert steps[: len(order)] == order
    assert set(steps) == set(order)
    assert slopes.steps == order[::-1]
