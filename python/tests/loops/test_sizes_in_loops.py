"""Sizes of bodies that are multiples, products, or sizes of other values."""

import numpy as np
import pytest
from branch_models import TARGETS, backend_of

import mithril as ml

STEPS = 2


def tanh() -> ml.Model:
    body = ml.Model()
    body |= ml.Tanh()(input="h", output="z")
    return body


def of_rows() -> ml.Model:
    """The rows of 3 features again."""
    body = ml.Model()
    body |= ml.Reshape(shape=(-1, 3))(input="h", output="m")
    body |= ml.Linear(3)(input="m", output="n")
    body |= ml.Tanh()(input="n", output="o")
    body |= ml.Reshape(shape=(-1,))(input="o", output="z")
    return body


def centred() -> ml.Model:
    body = ml.Model()
    body |= ml.Mean()(input="h", output="mean")
    body |= ml.Subtract()(left="h", right="mean", output="z")
    return body


def nested() -> ml.Model:
    body = ml.Model()
    body |= ml.Scan(tanh(), carry={"h": "z"}, length=1)(h="h", h_last="z")
    return body


def merged(make, looped: bool) -> ml.Model:
    """Two steps of a body on the elements of all rows as one axis: as a loop, or written out."""
    net = ml.Model()
    net |= ml.Linear(3)(input="x", output="q")
    net |= ml.Reshape(shape=(-1,))(input="q", output="first")
    if looped:
        net |= ml.Scan(make(), carry={"h": "z"}, length=STEPS)(h="first", h_last="last")
    else:
        body = make()
        net |= body(h="first", z="second")
        net |= body.shared()(h="second", z="last")
    net |= ml.Reshape(shape=(-1, 3))(input="last", output="y")
    net.expose_keys("y")
    return net


def evaluated(net: ml.Model, target: str, rank: int, checkpointing: bool) -> list[np.ndarray]:
    """The outputs and the gradients of the parameters, by the order of the parameters."""
    backend, to = backend_of(target)
    shapes = {"x": [None] * (rank - 1) + [3]}
    compiled = ml.compile(
        net, backend, shapes=shapes, data_keys=["x"], use_checkpointing=checkpointing
    )
    random = np.random.default_rng(5)
    params = {k: random.normal(size=v.shape) for k, v in compiled.get_parameters().items()}
    found = []
    for sizes in ([4, 2], [1, 3], [2, 1]):
        x = np.random.default_rng(6).normal(size=(*sizes[: rank - 1], 3))
        seeds = np.random.default_rng(7).normal(size=(x.size // 3, 3))
        out, gradients = compiled.evaluate(
            to(params), to({"x": x}), output_gradients=to({"y": seeds})
        )
        found += [np.asarray(out["y"]), *(np.asarray(gradients[key]) for key in params)]
    return found


def compare(make, rank, target, checkpointing) -> None:
    expected = evaluated(merged(make, False), "cpu", rank, False)
    found = evaluated(merged(make, True), target, rank, checkpointing)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("rank", [2, 3])
@pytest.mark.parametrize("make", [tanh, of_rows, centred, nested])
def test_a_carry_with_a_multiple_or_product_of_sizes(make, rank, target):
    compare(make, rank, target, False)


@pytest.mark.parametrize("make", [tanh, of_rows, centred, nested])
def test_such_a_carry_with_checkpointing(make):
    compare(make, 2, "cpu", True)
    compare(make, 3, "cpu", True)


def divided() -> ml.Model:
    g, n, w = ml.IOKey("g"), ml.IOKey("n"), ml.IOKey("w", shape=[3])
    return ml.Model.create(z=g * w / n)


@pytest.mark.parametrize("target", TARGETS)
def test_a_body_may_compute_with_the_size_of_a_value_that_it_does_not_read(target):
    backend, to = backend_of(target)
    net = ml.Model()
    net |= ml.Sum(axis=0)(input="x", output="g")
    net |= ml.Shape()(input="x", output="sizes")
    net |= ml.Indexer(index=0)(input="sizes", output="rows")
    loop = ml.Scan(divided(), carry={"g": "z"}, length=STEPS)
    net |= loop(g="g", n="rows", w="w", g_last="y")
    net.expose_keys("y")
    compiled = ml.compile(
        net, backend, shapes={"x": [None, 3], "w": [3]}, data_keys=["x"], trainable_keys=["w"]
    )
    w = np.array([0.5, -1.0, 2.0])
    for rows in (4, 1, 7):
        x = np.random.default_rng(rows).normal(size=(rows, 3))
        out, gradients = compiled.evaluate(
            to({"w": w}), to({"x": x}), output_gradients=to({"y": np.ones(3)})
        )
        sums = x.sum(0) / rows**STEPS
        np.testing.assert_allclose(np.asarray(out["y"]), sums * w**STEPS, rtol=1e-12)
        expected = sums * STEPS * w ** (STEPS - 1)
        np.testing.assert_allclose(np.asarray(gradients["w"]), expected, rtol=1e-12)


@pytest.mark.parametrize("target", TARGETS)
def test_a_loop_in_a_loop_may_compute_with_such_a_size(target):
    backend, to = backend_of(target)
    inner = ml.Scan(divided(), carry={"g": "z"}, length=STEPS)
    body = ml.Model()
    body |= inner(g="g", n="n", w="w", g_last="g_next")
    net = ml.Model()
    net |= ml.Sum(axis=0)(input="x", output="g")
    net |= ml.Shape()(input="x", output="sizes")
    net |= ml.Indexer(index=0)(input="sizes", output="rows")
    loop = ml.Scan(body, carry={"g": "g_next"}, length=1)
    net |= loop(g="g", n="rows", w="w", g_last="y")
    net.expose_keys("y")
    compiled = ml.compile(net, backend, shapes={"x": [None, 3], "w": [3]}, data_keys=["x", "w"])
    w, x = np.array([0.5, -1.0, 2.0]), np.random.default_rng(0).normal(size=(5, 3))
    out = compiled.evaluate({}, to({"x": x, "w": w}))
    np.testing.assert_allclose(np.asarray(out["y"]), x.sum(0) * w**STEPS / 5.0**STEPS, rtol=1e-12)
