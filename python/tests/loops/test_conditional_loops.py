"""Loops that a condition ends."""

import pickle

import numpy as np
import pytest
from branch_models import TARGETS, backend_of, collatz, newton

import mithril as ml

CPU = ml.CpuBackend(dtype=ml.float64)


@pytest.mark.parametrize("target", TARGETS)
def test_newtons_iteration(target):
    backend, to = backend_of(target)
    compiled = ml.compile(
        newton(), backend, shapes={"x": [3], "a": [3]}, data_keys=["x", "a"], inference=True
    )
    a = np.array([2.0, 9.0, 1e4])
    out = compiled.evaluate({}, to({"x": np.ones(3), "a": a}))
    np.testing.assert_allclose(np.asarray(out["x_last"]), np.sqrt(a), rtol=1e-12)


@pytest.mark.parametrize("target", TARGETS)
def test_a_loop_counts_its_steps(target):
    backend, to = backend_of(target)
    compiled = ml.compile(collatz(), backend, shapes={"n": [], "count": []}, inference=True)
    for first, steps in [(1, 0), (6, 8), (27, 111)]:
        out = compiled.evaluate({}, to({"n": np.array(first), "count": np.array(0)}))
        assert int(np.asarray(out["count_last"])) == steps
        assert int(np.asarray(out["n_last"])) == 1


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("most", [0, 2, 30])
def test_a_bounded_loop_has_a_gradient(target, most):
    """That of its steps, written out."""
    backend, to = backend_of(target)
    compiled = ml.compile(
        newton(max_steps=most), backend, shapes={"x": [1], "a": [1]}, data_keys=["x", "a"]
    )
    x, x_by_a, x_by_x, steps = 1.0, 0.0, 1.0, 0
    while steps < most and abs(x * x - 7.0) > 1e-9:
        slope = 0.5 * (1 - 7.0 / x**2)
        x, x_by_a, x_by_x = 0.5 * (x + 7.0 / x), slope * x_by_a + 0.5 / x, slope * x_by_x
        steps += 1
    out, grad = compiled.evaluate(
        {},
        to({"x": np.ones(1), "a": np.array([7.0])}),
        output_gradients=to({"x_last": np.ones(1)}),
        gradient_keys=["x", "a"],
    )
    np.testing.assert_allclose(np.asarray(out["x_last"]), [x], rtol=1e-12)
    np.testing.assert_allclose(np.asarray(grad["a"]), [x_by_a], rtol=1e-10)
    np.testing.assert_allclose(np.asarray(grad["x"]), [x_by_x], rtol=1e-10, atol=1e-12)


def test_a_bounded_loop_equals_jax():
    jax = pytest.importorskip("jax")
    jnp = jax.numpy
    w = np.random.default_rng(2).normal(size=(3, 3)) * 0.4
    h = ml.IOKey("h", shape=[3])
    loop = ml.While(
        ml.Model.create(far=(h * h).sum() > 0.05),
        ml.Model.create(h_next=ml.Tanh()((ml.IOKey("w", shape=[3, 3]) * h).sum(axis=-1))),
        carry={"h": "h_next"},
        max_steps=20,
    )
    compiled = ml.compile(loop, CPU, data_keys=["h", "w"])

    def run(h, w):
        def step(h, _):
            far = (h * h).sum() > 0.05
            return jax.lax.cond(far, lambda h: jnp.tanh(w @ h), lambda h: h, h), None

        return jax.lax.scan(step, h, None, length=20)[0]

    start, seed = np.array([1.0, -0.5, 2.0]), np.array([1.0, 2.0, -1.0])
    with jax.enable_x64(True):
        last, pull = jax.vjp(run, jnp.asarray(start), jnp.asarray(w))
        grads = [np.asarray(value) for value in pull(jnp.asarray(seed))]
        last = np.asarray(last)
    out, grad = compiled.evaluate(
        {},
        {"h": start, "w": w},
        output_gradients={"h_last": seed},
        gradient_keys=["h", "w"],
    )
    np.testing.assert_allclose(out["h_last"], last, rtol=1e-12)
    np.testing.assert_allclose(grad["h"], grads[0], rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(grad["w"], grads[1], rtol=1e-10, atol=1e-12)


def test_files_keep_loops_with_conditions():
    loop = newton()
    data = {"x": np.ones(2), "a": np.array([2.0, 3.0])}
    options = {"shapes": {"x": [2], "a": [2]}, "data_keys": ["x", "a"], "inference": True}
    one = ml.compile(loop, CPU, **options)
    other = ml.compile(pickle.loads(pickle.dumps(loop)), CPU, **options)
    np.testing.assert_array_equal(
        one.evaluate({}, data)["x_last"], other.evaluate({}, data)["x_last"]
    )


@pytest.mark.parametrize("target", TARGETS)
def test_a_loop_with_a_condition_in_each_step_of_a_loop(target):
    """The root of each element, from the root of the one before."""
    backend, to = backend_of(target)
    body = ml.Model()
    body |= newton()(x="x", a="a", x_last="x_next")
    roots = ml.Scan(body, carry={"x": "x_next"}, sequences=["a"], outputs=["x_next"])
    compiled = ml.compile(
        roots, backend, shapes={"x": [1], "a": [None, 1]}, data_keys=["x", "a"], inference=True
    )
    a = np.array([[4.0], [9.0], [2.0]])
    out = compiled.evaluate({}, to({"x": np.ones(1), "a": a}))
    np.testing.assert_allclose(np.asarray(out["x_next"]), np.sqrt(a), rtol=1e-9)


@pytest.mark.parametrize("target", TARGETS)
def test_a_loop_with_a_condition_in_another_one(target):
    backend, to = backend_of(target)
    y, n = ml.IOKey("y"), ml.IOKey("n")
    climb = ml.While(
        ml.Model.create(low=y < 10.0), ml.Model.create(y_next=y + 3.0), carry={"y": "y_next"}
    )
    body = ml.Model()
    body |= climb(y="y", y_last="top")
    body |= ml.Subtract()(left="top", right="n", output="y_next")
    body |= ml.Add()(left="n", right=1.0, output="n_next")
    loop = ml.While(ml.Model.create(few=n < 4.0), body, carry={"y": "y_next", "n": "n_next"})
    compiled = ml.compile(loop, backend, shapes={"y": [], "n": []}, inference=True)
    expected = 0.0
    for step in range(4):
        while expected < 10:
            expected += 3
        expected -= step
    out = compiled.evaluate({}, to({"y": np.array(0.0), "n": np.array(0.0)}))
    assert float(np.asarray(out["y_last"])) == expected
    assert float(np.asarray(out["n_last"])) == 4


def test_a_loop_without_steps_returns_its_carries():
    """The condition is false at first."""
    for most in (None, 3):
        compiled = ml.compile(
            newton(most), CPU, shapes={"x": [1], "a": [1]}, data_keys=["x", "a"], inference=True
        )
        out = compiled.evaluate({}, {"x": np.array([3.0]), "a": np.array([9.0])})
        np.testing.assert_array_equal(out["x_last"], [3.0])


def test_an_input_with_the_name_of_a_next_value():
    x, other = ml.IOKey("x"), ml.IOKey("x_next")
    loop = ml.While(
        ml.Model.create(low=x < 10.0),
        ml.Model.create(sum=x + other),
        carry={"x": "sum"},
        max_steps=5,
    )
    compiled = ml.compile(loop, CPU, shapes={"x": [], "x_next": []}, data_keys=["x", "x_next"])
    out = compiled.evaluate({}, {"x": np.array(0.0), "x_next": np.array(3.0)})
    assert float(out["x_last"]) == 12.0
