"""Derivatives in a direction through `While` without `max_steps`: forward mode needs no bound."""

import numpy as np
import pytest
from branch_models import TARGETS, backend_of, newton

import mithril as ml

CPU = ml.CpuBackend(dtype=ml.float64)
A = np.array([2.0, 9.0, 100.0])


def evaluated(model, data, backend=CPU, to=None):
    data = {key: np.asarray(value) for key, value in data.items()}
    shapes = {key: list(value.shape) for key, value in data.items()}
    compiled = ml.compile(model, backend, shapes=shapes, data_keys=list(data))
    out = compiled.evaluate({}, to(data) if to else data)
    return {key: np.asarray(value) for key, value in out.items()}


def differences(model, data, of, keys, step=1e-6):
    """The derivative of `of` in the direction of the tangents in `data`."""
    results = []
    for sign in (1.0, -1.0):
        moved = {key: data[key] for key in model.input_keys}
        for key in keys:
            moved[key] = moved[key] + sign * step * data[key + ".tangent"]
        results.append(evaluated(model.copy(), moved)[of])
    return (results[0] - results[1]) / (2 * step)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("wrt", [["a"], ["x"], ["a", "x"]])
def test_newtons_iteration(target, wrt):
    """The root does not depend on where the iteration begins."""
    backend, to = backend_of(target)
    data = {"x": np.ones(3), "a": A} | {f"{key}.tangent": np.array([1.0, -2.0, 0.5]) for key in wrt}
    model = ml.Jvp(newton(), of="x_last", wrt=wrt)
    out = evaluated(model, data, backend, to)
    np.testing.assert_allclose(out["x_last"], np.sqrt(A), rtol=1e-12)
    slope = data["a.tangent"] * 0.5 / np.sqrt(A) if "a" in wrt else np.zeros(3)
    np.testing.assert_allclose(out["x_last.tangent"], slope, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("target", TARGETS)
def test_higher_orders(target):
    backend, to = backend_of(target)
    x, a = ml.IOKey("x", shape=[3]), ml.IOKey("a", shape=[3])
    first = ml.jvp(newton()(x=x, a=a), a, np.ones(3))
    second = ml.jvp(first, a, np.ones(3))
    third = ml.jvp(second, a, np.ones(3))
    model = ml.Model.create(first=first, second=second, third=third)
    out = evaluated(model, {"x": np.ones(3), "a": A}, backend, to)
    np.testing.assert_allclose(out["first"], 0.5 * A**-0.5, rtol=1e-8)
    np.testing.assert_allclose(out["second"], -0.25 * A**-1.5, rtol=1e-7)
    np.testing.assert_allclose(out["third"], 0.375 * A**-2.5, rtol=1e-6)


def test_a_jacobian_in_forward_mode():
    model = ml.Jacobian(newton(), of="x_last", wrt=["a"], mode="forward")
    out = evaluated(model, {"x": np.ones(3), "a": A})
    np.testing.assert_allclose(out["a.jacobian"], np.diag(0.5 / np.sqrt(A)), atol=1e-9)


def test_a_vmap():
    jvp = ml.Jvp(newton(), of="x_last", wrt=["a"])
    model = ml.vmap(jvp, in_axes={"a": 0, "a.tangent": 0})
    a = np.stack([A, 2.0 * A])
    out = evaluated(model, {"x": np.ones(3), "a": a, "a.tangent": np.ones((2, 3))})
    np.testing.assert_allclose(out["x_last.tangent"], 0.5 / np.sqrt(a), rtol=1e-9)


def counted() -> ml.Model:
    """Carries of which one is an int and one does not change with the others."""
    h, k, w, n = ml.IOKey("h"), ml.IOKey("k"), ml.IOKey("w"), ml.IOKey("n", type=ml.Tensor[int])
    body = ml.Model.create(h_next=(h * w).sin() + k, k_next=k * 0.5, n_next=n + 1)
    return ml.While(
        ml.Model.create(more=(n < 6)),
        body,
        carry={"h": "h_next", "k": "k_next", "n": "n_next"},
    )


def loop_in_each_step() -> ml.Model:
    """`Scan` around `While`: each step of the scan halves what it reads to below 1."""
    h, w = ml.IOKey("h"), ml.IOKey("w")
    halved = ml.While(
        ml.Model.create(large=(h * h).sum() > 1.0),
        ml.Model.create(n=h * 0.5 * w.cos()),
        carry={"h": "n"},
    )
    step = ml.Model()
    step |= ml.Add()(left="h", right="x", output="more")
    step |= halved(h="more", w="w", h_last="small")
    step |= ml.Sine()(input="small", output="h_next")
    step.set_shapes(h=[3])
    return ml.Scan(step, carry={"h": "h_next"}, sequences=["x"])


def loop_in_a_loop() -> ml.Model:
    """`While` around `While` and `Cond`."""
    h, w, n = ml.IOKey("h"), ml.IOKey("w"), ml.IOKey("n", type=ml.Tensor[int])
    inner = ml.While(
        ml.Model.create(large=(h * h).sum() > 1.0),
        ml.Model.create(q=h * 0.5 * w.cos()),
        carry={"h": "q"},
    )
    choice = ml.Cond(
        ml.Model.create(positive=h.sum() > 0.0),
        ml.Model.create(y=h * 3.0),
        ml.Model.create(y=h * h - w),
    )
    step = ml.Model()
    step |= inner(h="h", w="w", h_last="small")
    step |= choice(h="small", w="w", y="h_next")
    step |= ml.Add()(left="n", right=1, output="n_next")
    step.expose_keys("h_next", "n_next")
    return ml.While(ml.Model.create(more=n < 5), step, carry={"h": "h_next", "n": "n_next"})


def halved() -> ml.Model:
    h, v = ml.IOKey("h"), ml.IOKey("v")
    large = ml.Model.create(large=(h * h).sum() > 1.0)
    return ml.While(large, ml.Model.create(n=(h * v).sin() * 0.5), carry={"h": "n"})


def in_steps(part: ml.Model, length: int | None = None) -> ml.Model:
    """A scan around a part with the carry h."""
    step = ml.Model()
    step |= ml.Add()(left="h", right="w" if length else "x", output="more")
    step |= part(**{key: key for key in part.input_keys if key != "h"}, h="more", h_last="h_next")
    step.expose_keys("h_next")
    step.set_shapes(h=[3])
    return ml.Scan(step, carry={"h": "h_next"}, sequences=[] if length else ["x"], length=length)


def if_positive(part: ml.Model) -> ml.Model:
    h = ml.IOKey("h")
    return ml.Cond(ml.Model.create(positive=h.sum() > 0.0), part, ml.Model.create(h_last=h * 3.0))


def scan_in_a_loop() -> ml.Model:
    """`While` around `Scan` around `While`."""
    h = ml.IOKey("h")
    step = ml.Model()
    step |= in_steps(halved())(h="h", x="x", v="v", h_last="small")
    step |= ml.Multiply()(left="small", right=0.5, output="h_next")
    step.expose_keys("h_next")
    return ml.While(ml.Model.create(large=(h * h).sum() > 1.0), step, carry={"h": "h_next"})


START = np.array([0.7, -1.9, 2.6])
STEPS = np.outer([3.0, -1.0], START)
CASES = {
    "carries": (counted, {"h": START, "k": START * 0.5, "w": START + 1.0, "n": np.array(0)}),
    "scan": (loop_in_each_step, {"h": START, "w": START, "x": STEPS}),
    "while": (loop_in_a_loop, {"h": START, "w": START * 0.3, "n": np.array(0)}),
    "while of scan": (scan_in_a_loop, {"h": START, "x": STEPS, "v": START}),
    "scan of scan": (
        lambda: in_steps(in_steps(halved(), length=2)),
        {"h": START, "w": START, "x": STEPS, "v": START},
    ),
    "choice of scan": (
        lambda: if_positive(in_steps(halved())),
        {"h": START, "x": STEPS, "v": START},
    ),
    "scan of choice": (
        lambda: in_steps(if_positive(halved())),
        {"h": START, "x": STEPS, "v": START},
    ),
    "scan of choice of scan": (
        lambda: in_steps(if_positive(in_steps(halved(), length=2))),
        {"h": START, "w": START, "x": STEPS, "v": START},
    ),
    "choice of scan of scan of choice": (
        lambda: if_positive(in_steps(in_steps(if_positive(halved()), length=2))),
        {"h": START, "w": START, "x": STEPS, "v": START},
    ),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("target", TARGETS)
def test_loops_equal_finite_differences(target, name):
    make, data = CASES[name]
    backend, to = backend_of(target)
    keys = [key for key, value in data.items() if value.dtype == np.float64]
    draw = np.random.default_rng(3).normal
    data = data | {f"{key}.tangent": draw(size=data[key].shape) for key in keys}
    expected = differences(make(), data, "h_last", keys)
    out = evaluated(ml.Jvp(make(), of="h_last", wrt=keys), data, backend, to)
    np.testing.assert_allclose(out["h_last.tangent"], expected, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("name", CASES)
def test_the_tangents_of_each_index(name):
    make, data = CASES[name]
    keys = [key for key, value in data.items() if value.dtype == np.float64]
    draw = np.random.default_rng(3).normal
    data = data | {f"{key}.tangent": draw(size=data[key].shape) for key in keys}
    jvp = ml.Jvp(make(), of="h_last", wrt=keys)
    rows = {"h": np.stack([START, 1.3 * START, -START]), "h.tangent": draw(size=(3, 3))}
    out = evaluated(ml.vmap(jvp.copy(), in_axes=dict.fromkeys(rows, 0)), data | rows)
    for i in range(3):
        row = {key: value[i] for key, value in rows.items()}
        expected = evaluated(jvp.copy(), data | row)
        for key, value in expected.items():
            np.testing.assert_allclose(out[key][i], value, rtol=1e-10, atol=1e-12)


def test_the_gradient_of_each_index_is_refused():
    """As that of the model alone, with the path of the loop."""
    mapped = ml.vmap(newton(), in_axes={"a": 0})
    with pytest.raises(ml.GradientError, match="whose number of steps has no bound") as raised:
        model = ml.Gradient(mapped, of="x_last", wrt=["a"])
        shapes = {"x": [3], "a": [2, 3], "x_last.grad": [2, 3]}
        ml.compile(model, CPU, shapes=shapes, data_keys=list(shapes))
    assert raised.value.code == "E0501"


def test_loops_equal_jax():
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    _, data = CASES["carries"]

    def run(h, k, w):
        def step(carry):
            h, k, n = carry
            return jax.numpy.sin(h * w) + k, k * 0.5, n + 1

        return jax.lax.while_loop(lambda carry: carry[2] < 6, step, (h, k, 0))[0]

    keys = ["h", "k", "w"]
    draw = np.random.default_rng(3).normal
    tangents = {key: draw(size=3) for key in keys}
    _, expected = jax.jvp(run, [data[key] for key in keys], [tangents[key] for key in keys])
    data = data | {f"{key}.tangent": tangents[key] for key in keys}
    out = evaluated(ml.Jvp(counted(), of="h_last", wrt=keys), data)
    np.testing.assert_allclose(out["h_last.tangent"], np.asarray(expected), rtol=1e-12)


def test_reverse_mode_over_forward_mode_is_refused():
    """The gradient of the tangents would keep values of all steps."""
    jvp = ml.Jvp(newton(), of="x_last", wrt=["a"])
    model = ml.Gradient(jvp, of="x_last.tangent", wrt=["a"])
    shapes = {key: [3] for key in model.input_keys}
    with pytest.raises(ml.GradientError, match="whose number of steps has no bound") as raised:
        ml.compile(model, CPU, shapes=shapes, data_keys=list(shapes))
    assert raised.value.code == "E0501"
    assert "jvp.while: no gradient flows" in str(raised.value)
