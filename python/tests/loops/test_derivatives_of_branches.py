"""Jacobians and Hessians of choices and of loops with a condition: those of JAX."""

import numpy as np
import pytest
from branch_models import TARGETS, backend_of
from indexed_branches import assert_each_row, compiled_of, countdown, countdown_data

import mithril as ml


def scalar_of(model, key, **ports):
    whole = ml.Model()
    whole |= model(**ports, **{key: "made"})
    whole |= ml.Multiply()(left="made", right="made", output="squares")
    whole |= ml.Sum()(input="squares", output="cost")
    whole.expose_keys("cost")
    return whole


DERIVED = {
    "bounded loop": (lambda: countdown(7), "h_last", ["h", "limit", "count"]),
    "choice": (
        lambda: ml.Cond(
            "large",
            ml.Model.create(h_next=ml.IOKey("h", shape=[3]).sin() * ml.IOKey("limit", shape=[])),
            ml.Model.create(h_next=ml.IOKey("h", shape=[3]) ** 3.0),
        ),
        "h_next",
        ["h", "limit", "large"],
    ),
}


def derived_data(name, chosen=True):
    data = countdown_data([])
    data["large"] = np.array(chosen)
    return {key: data[key] for key in DERIVED[name][2]}


def in_jax(name, jax):
    """The same function of h and limit."""
    jnp = jax.numpy

    def step(h, limit):
        go = (h * h).sum() > limit
        return jax.lax.cond(go, lambda h: jnp.sin(h) * 0.8, lambda h: h, h), None

    if name == "bounded loop":
        return lambda h, limit, _: jax.lax.scan(lambda h, _: step(h, limit), h, None, length=7)[0]
    return lambda h, limit, large: jax.lax.cond(
        large, lambda h: jnp.sin(h) * limit, lambda h: h**3.0, h
    )


@pytest.mark.parametrize("mode", ["reverse", "forward"])
@pytest.mark.parametrize("chosen", [True, False])
@pytest.mark.parametrize("name", DERIVED)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.sampled(3)
def test_jacobians_are_those_of_jax(target, name, chosen, mode):
    jax = pytest.importorskip("jax")
    backend, to = backend_of(target)
    make, of, _ = DERIVED[name]
    data = derived_data(name, chosen)
    model = ml.Jacobian(make(), of=of, wrt=["h", "limit"], mode=mode)
    got = compiled_of(model, data, backend).evaluate({}, to(data))
    with jax.enable_x64(True):
        given = [jax.numpy.asarray(data[key]) for key in ("h", "limit")]
        expected = jax.jacobian(in_jax(name, jax), argnums=(0, 1))(*given, data.get("large"))
    for key, value in zip(("h", "limit"), expected, strict=True):
        np.testing.assert_allclose(
            np.asarray(got[f"{key}.jacobian"]), value, rtol=1e-10, atol=1e-12, err_msg=key
        )


@pytest.mark.parametrize("chosen", [True, False])
@pytest.mark.parametrize("name", DERIVED)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.sampled(3)
def test_hessians_are_those_of_jax(target, name, chosen):
    jax = pytest.importorskip("jax")
    backend, to = backend_of(target)
    make, of, keys = DERIVED[name]
    data = derived_data(name, chosen)
    model = ml.Hessian(
        scalar_of(make(), of, **{key: key for key in keys}), of="cost", wrt=["h", "limit"]
    )
    got = compiled_of(model, data, backend).evaluate({}, to(data))

    def cost(h, limit):
        return (in_jax(name, jax)(h, limit, data.get("large")) ** 2).sum()

    with jax.enable_x64(True):
        given = [jax.numpy.asarray(data[key]) for key in ("h", "limit")]
        expected = jax.hessian(cost, argnums=(0, 1))(*given)
    for i, key in enumerate(("h", "limit")):
        np.testing.assert_allclose(
            np.asarray(got[f"{key}.hessian"]), expected[i][i], rtol=1e-10, atol=1e-11, err_msg=key
        )
    np.testing.assert_allclose(
        np.asarray(got["h.limit.hessian"]), expected[0][1], rtol=1e-10, atol=1e-11
    )


@pytest.mark.parametrize("target", TARGETS)
def test_the_jacobian_of_each_index(target):
    """A loop in a Jacobian in a vmap."""
    mapped = ["h", "limit"]
    data = countdown_data(mapped)
    assert_each_row(lambda: ml.Jacobian(countdown(5), of="h_last", wrt=["h"]), data, mapped, target)
