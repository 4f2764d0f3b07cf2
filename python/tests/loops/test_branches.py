"""Choices between two models, and loops that a condition ends."""

import itertools

import numpy as np
import pytest
from branch_models import (
    BRANCHES,
    TARGETS,
    backend_of,
    compiled_by,
    own_parameters,
    parameters_of,
    polynomial,
    runs_for_ever,
    tail,
)

import mithril as ml

CPU = ml.CpuBackend(dtype=ml.float64)


@pytest.mark.parametrize("chosen", [True, False])
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", BRANCHES)
def test_a_choice_equals_the_chosen_model(name, target, chosen):
    """Values, and gradients by the inputs and the parameters: 0 for those of the other model."""
    backend, to = backend_of(target)
    make = BRANCHES[name]
    both = compiled_by(ml.Cond("large", *make()), backend)
    alone = compiled_by(make()[0 if chosen else 1], CPU)
    params = parameters_of(both)
    draw = np.random.default_rng(7).normal
    for rows in (1, 3):
        data = {"x": draw(size=(rows, 4)), "c": draw(size=4), "large": np.array(chosen)}
        data = {key: value for key, value in data.items() if key in both.input_keys}
        own = own_parameters(alone, params)
        mine = {key: value for key, value in data.items() if key in alone.input_keys}
        seeds = {"y": draw(size=(rows, 4))}
        out, grad = alone.evaluate(own, mine, output_gradients=seeds, gradient_keys=[*mine, *own])
        grad = {tail(key): value for key, value in grad.items()}
        wanted = [*(key for key in data if key != "large"), *params]
        got, got_grad = both.evaluate(
            to(params), to(data), output_gradients=to(seeds), gradient_keys=wanted
        )
        np.testing.assert_allclose(np.asarray(got["y"]), out["y"], rtol=1e-12, atol=1e-12)
        for key in wanted:
            expected = grad.get(tail(key), np.zeros_like((params | data)[key]))
            np.testing.assert_allclose(
                np.asarray(got_grad[key]), expected, rtol=1e-10, atol=1e-12, err_msg=key
            )


@pytest.mark.parametrize("chosen", [True, False])
@pytest.mark.parametrize("target", TARGETS)
def test_the_other_model_does_not_run(target, chosen):
    """It would run for ever."""
    backend, to = backend_of(target)
    x = ml.IOKey("x")
    stops = ml.Model.create(y=x * 3.0)
    models = (stops, runs_for_ever()) if chosen else (runs_for_ever(), stops)
    compiled = ml.compile(
        ml.Cond("chosen", *models), backend, shapes={"x": [2]}, data_keys=["x"], inference=True
    )
    data = {"x": np.array([1.0, 2.0]), "chosen": np.array(chosen)}
    np.testing.assert_allclose(np.asarray(compiled.evaluate({}, to(data))["y"]), [3.0, 6.0])


@pytest.mark.parametrize("target", TARGETS)
def test_a_condition_that_is_computed(target):
    backend, to = backend_of(target)
    x, limit = ml.IOKey("x"), ml.IOKey("limit")
    model = ml.Cond(
        ml.Model.create(is_large=x.sum() > limit),
        ml.Model.create(y=x * x),
        ml.Model.create(y=x * 2.0),
    )
    assert set(model.input_keys) == {"x", "limit"}
    compiled = ml.compile(model, backend, shapes={"x": [3], "limit": []}, data_keys=["x", "limit"])
    for value in (np.array([1.0, 2.0, 3.0]), np.array([1.0, -2.0, 3.0])):
        out, grad = compiled.evaluate(
            {},
            to({"x": value, "limit": np.array(4.0)}),
            output_gradients=to({"y": np.ones(3)}),
            gradient_keys=["x"],
        )
        large = value.sum() > 4
        np.testing.assert_allclose(np.asarray(out["y"]), value * value if large else value * 2)
        np.testing.assert_allclose(
            np.asarray(grad["x"]), 2 * value if large else np.full(3, 2.0), rtol=1e-12
        )


def curved(model, shapes):
    """The gradient of the sum of squares of a gradient, by x."""
    whole = ml.Model()
    whole |= model(x="x", y="y", **{key: key for key in model.input_keys if key == "large"})
    whole.set_shapes(shapes)
    slope = ml.gradient((whole.y * whole.y).sum(), whole.x)
    whole |= ml.Sum()(input=slope * slope, output="curved")
    whole.expose_keys("curved")
    return whole


@pytest.mark.parametrize("chosen", [True, False])
@pytest.mark.parametrize("target", TARGETS)
def test_gradients_of_gradients(target, chosen):
    backend, to = backend_of(target)
    make = BRANCHES["layers"]
    shapes = {"x": [3, 4]}
    both = ml.compile(curved(ml.Cond("large", *make()), shapes), backend, data_keys=["x", "large"])
    alone = ml.compile(curved(make()[0 if chosen else 1], shapes), CPU, data_keys=["x"])
    params = parameters_of(both)
    own = own_parameters(alone, params)
    data = {"x": np.random.default_rng(1).normal(size=(3, 4))}
    out, grad = alone.evaluate(own, data, output_gradients=True, gradient_keys=["x", *own])
    got, got_grad = both.evaluate(
        to(params),
        to(data | {"large": np.array(chosen)}),
        output_gradients=True,
        gradient_keys=["x", *params],
    )
    np.testing.assert_allclose(np.asarray(got["curved"]), out["curved"], rtol=1e-10)
    got_grad = {tail(key): np.asarray(value) for key, value in got_grad.items()}
    for key, value in grad.items():
        np.testing.assert_allclose(got_grad[tail(key)], value, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("target", TARGETS)
def test_a_choice_in_a_choice(target):
    backend, to = backend_of(target)
    x = ml.IOKey("x")
    inner = ml.Cond("b", ml.Model.create(y=x.sin()), ml.Model.create(y=x.exp()))
    outer = ml.Cond("a", inner, ml.Model.create(y=x * x * x))
    compiled = ml.compile(outer, backend, shapes={"x": ["n"]}, data_keys=["x"])
    value = np.array([0.5, -1.0, 2.0])
    for a, b in itertools.product([True, False], repeat=2):
        out, grad = compiled.evaluate(
            {},
            to({"x": value, "a": np.array(a), "b": np.array(b)}),
            output_gradients=to({"y": np.ones(3)}),
            gradient_keys=["x"],
        )
        y, slope = value**3, 3 * value**2
        if a:
            y, slope = (np.sin(value), np.cos(value)) if b else (np.exp(value), np.exp(value))
        np.testing.assert_allclose(np.asarray(out["y"]), y, rtol=1e-12)
        np.testing.assert_allclose(np.asarray(grad["x"]), slope, rtol=1e-12)


@pytest.mark.parametrize("target", TARGETS)
def test_a_choice_in_each_step_of_a_loop(target):
    backend, to = backend_of(target)
    h, x = ml.IOKey("h"), ml.IOKey("x")
    step = ml.Cond(
        ml.Model.create(up=x.sum() > 0.0),
        ml.Model.create(h_next=ml.Tanh()(h + x)),
        ml.Model.create(h_next=h * x),
    )
    loop = ml.Scan(step, carry={"h": "h_next"}, sequences=["x"])
    compiled = ml.compile(loop, backend, shapes={"x": [None, 3], "h": [3]}, data_keys=["x", "h"])
    draw = np.random.default_rng(3).normal
    for steps in (1, 6):
        xs, start, seed = draw(size=(steps, 3)), draw(size=3), draw(size=3)
        hs = [start]
        for t in range(steps):
            hs.append(np.tanh(hs[-1] + xs[t]) if xs[t].sum() > 0 else hs[-1] * xs[t])
        back, x_grad = seed, np.zeros_like(xs)
        for t in reversed(range(steps)):
            if xs[t].sum() > 0:
                back = x_grad[t] = back * (1 - hs[t + 1] ** 2)
            else:
                x_grad[t], back = back * hs[t], back * xs[t]
        out, grad = compiled.evaluate(
            {},
            to({"x": xs, "h": start}),
            output_gradients=to({"h_last": seed}),
            gradient_keys=["x", "h"],
        )
        np.testing.assert_allclose(np.asarray(out["h_last"]), hs[-1], rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(np.asarray(grad["x"]), x_grad, rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(np.asarray(grad["h"]), back, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("chosen", [True, False])
@pytest.mark.parametrize("target", TARGETS)
def test_a_loop_in_a_choice(target, chosen):
    backend, to = backend_of(target)
    h, x = ml.IOKey("h"), ml.IOKey("x")
    loop = ml.Scan(
        ml.Model.create(h_next=h * x, y=h + x),
        carry={"h": "h_next"},
        sequences=["x"],
        outputs=["y"],
    )
    models = (loop, ml.Model.create(y=x * 2.0, h_last=h * 3.0))
    compiled = ml.compile(
        ml.Cond("chosen", *models),
        backend,
        shapes={"x": ["T", 2], "h": [2]},
        data_keys=["x", "h"],
    )
    draw = np.random.default_rng(5).normal
    x, h, seed = draw(size=(4, 2)), draw(size=2), draw(size=2)
    out, grad = compiled.evaluate(
        {},
        to({"x": x, "h": h, "chosen": np.array(chosen)}),
        output_gradients=to({"h_last": seed, "y": np.zeros((4, 2))}),
        gradient_keys=["x", "h"],
    )
    product = np.prod(x, axis=0)
    last = h * product if chosen else 3 * h
    np.testing.assert_allclose(np.asarray(out["h_last"]), last, rtol=1e-12)
    h_grad = seed * product if chosen else 3 * seed
    x_grad = seed * h * product / x if chosen else np.zeros_like(x)
    np.testing.assert_allclose(np.asarray(grad["h"]), h_grad, rtol=1e-12)
    np.testing.assert_allclose(np.asarray(grad["x"]), x_grad, rtol=1e-10, atol=1e-14)


@pytest.mark.parametrize("chosen", [True, False])
def test_gradients_equal_finite_differences(chosen):
    compiled = ml.compile(ml.Cond("large", *polynomial()), CPU, shapes={"x": [3]}, data_keys=["x"])
    x, seed = np.array([0.3, -0.7, 1.1]), np.array([1.0, -2.0, 0.5])
    flag = {"large": np.array(chosen)}
    _, grad = compiled.evaluate(
        {}, flag | {"x": x}, output_gradients={"y": seed}, gradient_keys=["x"]
    )
    step = 1e-6
    for i in range(3):
        ends = []
        for sign in (1, -1):
            moved = x.copy()
            moved[i] += sign * step
            ends.append(float(np.dot(compiled.evaluate({}, flag | {"x": moved})["y"], seed)))
        np.testing.assert_allclose(grad["x"][i], (ends[0] - ends[1]) / (2 * step), rtol=1e-8)


def test_layers_as_branches():
    """Their parameters have the same names, and are not the same."""
    model = ml.Cond("c", ml.Linear(2), ml.Linear(2))
    compiled = ml.compile(model, CPU, shapes={"input": [1, 2]})
    assert compiled.parameter_keys == [
        "linear.weight",
        "linear.bias",
        "linear_1.weight",
        "linear_1.bias",
    ]
    activation = ml.compile(ml.Cond("c", ml.Relu(), ml.Tanh()), CPU, shapes={"input": [2]})
    x = np.array([-1.0, 2.0])
    for flag, expected in [(True, np.maximum(x, 0)), (False, np.tanh(x))]:
        out = activation.evaluate({}, {"input": x, "c": np.array(flag)})
        np.testing.assert_allclose(out["output"], expected)


def test_named_inputs_are_shared():
    """A parameter that both models name is one parameter."""
    x, w = ml.IOKey("x", shape=[3]), ml.IOKey("w", shape=[3], differentiable=True)
    model = ml.Cond("c", ml.Model.create(y=x * w), ml.Model.create(y=x + w))
    compiled = ml.compile(model, CPU, data_keys=["x"])
    assert compiled.parameter_keys == ["w"]
    params, data = {"w": np.full(3, 2.0)}, {"x": np.array([1.0, 2.0, 3.0])}
    for flag, expected in [(True, data["x"]), (False, np.ones(3))]:
        _, grad = compiled.evaluate(
            params, data | {"c": np.array(flag)}, output_gradients={"y": np.ones(3)}
        )
        np.testing.assert_allclose(grad["w"], expected)


@pytest.mark.parametrize("chosen", [True, False])
def test_a_derivative_in_a_branch(chosen):
    h = ml.IOKey("h", shape=[3])
    slope = ml.Model.create(y=ml.gradient((h * h * h * h).sum(), h))
    compiled = ml.compile(ml.Cond("c", slope, ml.Model.create(y=h * 2.0)), CPU, data_keys=["h"])
    value = np.array([1.0, -2.0, 3.0])
    out, grad = compiled.evaluate(
        {},
        {"h": value, "c": np.array(chosen)},
        output_gradients={"y": np.ones(3)},
        gradient_keys=["h"],
    )
    np.testing.assert_allclose(out["y"], 4 * value**3 if chosen else 2 * value)
    np.testing.assert_allclose(grad["h"], 12 * value**2 if chosen else np.full(3, 2.0))


@pytest.mark.parametrize("chosen", [True, False])
def test_choices_with_one_condition(chosen):
    net = ml.Model()
    net |= ml.Cond("c", *polynomial())(x="x", c="c", y="h")
    net |= ml.Cond("c", *polynomial())(x="h", c="c", y="y")
    compiled = ml.compile(net, CPU, shapes={"x": [2]}, data_keys=["x"])

    def once(x):
        return x**3 - x if chosen else np.exp(x) * x

    x = np.array([0.5, -0.4])
    got = compiled.evaluate({}, {"x": x, "c": np.array(chosen)})["y"]
    np.testing.assert_allclose(got, once(once(x)), rtol=1e-12)


def with_dropout():
    branch = ml.Model()
    branch |= ml.Dropout(0.5)(input="x", output="y")
    return branch


def test_a_choice_has_the_outputs_of_its_branches():
    model = ml.Model()
    choice = ml.Cond("q", with_dropout(), ml.Model.create(y=ml.IOKey("x") * 2.0))
    model |= choice(q="q", x="x", y="y")
    assert model.output_keys == ["y"]
    model |= ml.Sum()(input="y", output="s")
    assert model.output_keys == ["y", "s"]


def test_a_loop_with_a_condition_has_the_carries_as_outputs():
    x = ml.IOKey("x")
    body = ml.Model()
    body |= ml.Dropout(0.5)(input="x", output="d")
    body |= ml.Add()(left="d", right=-1.0, output="x_next")
    loop = ml.While(ml.Model.create(c=x.sum() > 0.0), body, carry={"x": "x_next"})
    model = ml.Model()
    model |= loop(x="x", x_last="last")
    assert model.output_keys == ["last"]


def test_a_branch_may_ignore_one_of_its_inputs():
    then = ml.Model()
    then |= ml.Sine()(input="x", output="y")
    then |= ml.Buffer()(input="z", output="unread")
    then.expose_keys("y")
    model = ml.Model()
    model |= ml.Cond("q", then, ml.Model.create(y=ml.IOKey("x") * 2.0))(q="q", x="x", z="z", y="y")
    compiled = ml.compile(model, ml.CpuBackend(), shapes={"x": [2], "z": [2]}, data_keys=["x", "z"])
    data = {"x": np.ones(2, np.float32), "z": np.ones(2, np.float32)}
    for q, expected in [(True, np.sin(1.0)), (False, 2.0)]:
        out = compiled.evaluate({}, data | {"q": np.array(q)})
        np.testing.assert_allclose(out["y"], expected, rtol=1e-6)
