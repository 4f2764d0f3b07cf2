"""Derivatives and vmap of values from outside, in loops and branches."""

import numpy as np
import pytest
from branch_models import TARGETS, backend_of
from generated_cpp import GeneratedCpp, needs_compiler

import mithril as ml

CPU = ml.CpuBackend(dtype=ml.float64)
STEPS = 3
draw = np.random.default_rng(8).normal
H, X = draw(size=(2, 3)), draw(size=(STEPS, 2, 3))


def cost():
    """The sum of tanh(x W' + b)^2."""
    net = ml.Model()
    net |= ml.Linear(3)(input="x", output="a")
    net |= ml.Tanh()(input="a", output="t")
    net |= ml.Multiply()(left="t", right="t", output="squares")
    net |= ml.Sum()(input="squares", output="cost")
    net.expose_keys("cost")
    return net


def fast_weights():
    """A step that reads the gradient of a cost by its parameters: h - x (dW - 0.5)'."""
    step = ml.Model()
    inner = ml.Gradient(cost(), of="cost", wrt=["*weight"])
    step |= inner(x="h", **{"linear.weight.grad": "dw"})
    step |= ml.Buffer()(input=ml.IOKey("h") - ml.IOKey("x") @ (step.dw - 0.5), output="h_next")
    step.expose_keys("h_next")
    step.set_shapes({"h": [2, 3], "x": [2, 3]})
    return step


def curvature():
    """A step that reads a Hessian of its parameters."""
    step = ml.Model()
    inner = ml.Hessian(cost(), of="cost", wrt=["*bias"])
    step |= inner(x="h", **{"linear.bias.hessian": "curved"})
    step |= ml.Buffer()(
        input=ml.IOKey("h").sin() + ml.IOKey("x") @ step.curved * 0.1, output="h_next"
    )
    step.expose_keys("h_next")
    step.set_shapes({"h": [2, 3], "x": [2, 3]})
    return step


def ensemble():
    """A step that averages four networks."""
    net = ml.Model()
    net |= ml.Linear(3)(input="x", output="a")
    net |= ml.Tanh()(input="a", output="y")
    step = ml.Model()
    step |= ml.vmap(net, params="*", size=4)(x="h", y="all")
    step |= ml.Mean(axis=0)(input="all", output="mean")
    step |= ml.Add()(left="mean", right="x", output="h_next")
    step.expose_keys("h_next")
    step.set_shapes({"h": [2, 3], "x": [2, 3]})
    return step


STEP_MODELS = {"fast weights": fast_weights, "curvature": curvature, "ensemble": ensemble}


def unrolled(make):
    model, step, h = ml.Model(), make(), "h"
    for t in range(STEPS):
        step = step if t == 0 else step.shared()
        model |= step(h=h, x=ml.IOKey(f"x{t}", shape=[2, 3]), h_next=f"h{t + 1}")
        h = f"h{t + 1}"
    model |= ml.Buffer()(input=h, output="h_last")
    model.expose_keys("h_last")
    model.set_shapes({"h": [2, 3]})
    return model


def run(compiled, params, data, to, key):
    seeds = {key: np.arange(6.0).reshape(2, 3) - 2.0}
    data = {name: value for name, value in data.items() if name in compiled.input_keys}
    floats = [name for name, value in data.items() if np.asarray(value).dtype == np.float64]
    out, grad = compiled.evaluate(
        to(params), to(data), output_gradients=to(seeds), gradient_keys=[*params, *floats]
    )
    return np.asarray(out[key]), {name: np.asarray(value) for name, value in grad.items()}


def tails(values):
    return {".".join(key.split(".")[-2:]): value for key, value in values.items()}


def assert_equal(got, expected):
    np.testing.assert_allclose(got[0], expected[0], rtol=1e-12, atol=1e-12)
    for key, value in tails(expected[1]).items():
        np.testing.assert_allclose(tails(got[1])[key], value, rtol=1e-10, atol=1e-11, err_msg=key)


def parameters(compiled):
    random = np.random.default_rng(2)
    shapes = {key: np.shape(value) for key, value in compiled.get_parameters().items()}
    made = {tail: random.normal(size=tails(shapes)[tail]) * 0.6 for tail in sorted(tails(shapes))}
    return {key: made[".".join(key.split(".")[-2:])] for key in shapes}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", STEP_MODELS)
def test_a_loop_equals_its_steps_written_out(name, target):
    backend, to = backend_of(target)
    loop = ml.Scan(STEP_MODELS[name](), carry={"h": "h_next"}, sequences=["x"])
    keys = ["h", *(f"x{t}" for t in range(STEPS))]
    one = ml.compile(unrolled(STEP_MODELS[name]), CPU, data_keys=keys)
    many = ml.compile(loop, backend, shapes={"x": [STEPS, 2, 3]}, data_keys=["h", "x"])
    steps = {f"x{t}": X[t] for t in range(STEPS)}
    value, grad = run(one, parameters(one), {"h": H} | steps, dict, "h_last")
    grad["x"] = np.stack([grad.pop(f"x{t}") for t in range(STEPS)])
    got = run(many, parameters(many), {"h": H, "x": X}, to, "h_last")
    assert_equal(got, (value, grad))


@pytest.mark.parametrize("chosen", [True, False])
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", STEP_MODELS)
def test_a_branch_equals_its_model(name, target, chosen):
    backend, to = backend_of(target)

    def other():
        x, h = ml.IOKey("x", shape=[2, 3]), ml.IOKey("h", shape=[2, 3])
        return ml.Model.create(h_next=x * h)

    choice = ml.compile(
        ml.Cond("chosen", STEP_MODELS[name](), other()), backend, data_keys=["h", "x"]
    )
    alone = ml.compile(STEP_MODELS[name]() if chosen else other(), CPU, data_keys=["h", "x"])
    data = {"h": H, "x": X[0]}
    expected = run(alone, parameters(alone), data, dict, "h_next")
    got = run(choice, parameters(choice), data | {"chosen": np.array(chosen)}, to, "h_next")
    assert_equal(got, expected)
    for key in set(tails(got[1])) - set(tails(expected[1])):
        assert not tails(got[1])[key].any()


def test_members_of_an_ensemble_in_a_branch_begin_apart():
    x, h = ml.IOKey("x"), ml.IOKey("h")
    choice = ml.Cond("chosen", ensemble(), ml.Model.create(h_next=x * h))
    first = ml.compile(choice, CPU, data_keys=["h", "x"]).get_parameters()
    weight = np.asarray(tails(first)["linear.weight"])
    assert weight.shape == (4, 3, 3)
    assert len({row.tobytes() for row in weight}) == 4


def test_a_vmap_of_an_input_that_every_step_reads():
    net = ml.Model.create(y=ml.Tanh()(ml.IOKey("x", shape=[3]) * ml.IOKey("w", shape=[3])))
    step = ml.Model()
    step |= ml.vmap(net, in_axes={"w": 0}, size=2)(x="h", w="w", y="both")
    step |= ml.Sum(axis=0)(input="both", output="h_next")
    loop = ml.Scan(step, carry={"h": "h_next"}, length=5)
    compiled = ml.compile(loop, CPU, data_keys=["h", "w"], shapes={"h": [3], "w": [2, 3]})
    w, h = draw(size=(2, 3)), draw(size=3)
    got = compiled.evaluate({}, {"h": h, "w": w})["h_last"]
    for _ in range(5):
        h = np.tanh(h * w).sum(axis=0)
    np.testing.assert_allclose(got, h, rtol=1e-12)


def test_a_seed_from_outside():
    h, seed = ml.IOKey("h", shape=[3]), ml.IOKey("seed", shape=[3])
    step = ml.Model.create(h_next=h - ml.gradient(h * h, h, seed=seed))
    loop = ml.Scan(step, carry={"h": "h_next"}, length=2)
    compiled = ml.compile(loop, CPU, data_keys=["h", "seed"])
    start, by = draw(size=3), draw(size=3)
    expected = start * (1 - 2 * by) ** 2
    got = compiled.evaluate({}, {"h": start, "seed": by})["h_last"]
    np.testing.assert_allclose(got, expected, rtol=1e-12)


def by_outer_value():
    """A step h cos(w), the gradient of the sum of h sin(w) by w. The loop computes sin(w) once."""
    h, w = ml.IOKey("h", shape=[3]), ml.IOKey("w", shape=[3])
    return ml.Model.create(h_next=h - ml.gradient((h * w.sin()).sum(), w))


def read_through_a_buffer(loop):
    whole = ml.Model()
    whole |= ml.Buffer()(input="v", output="w")
    whole |= loop(h="h", w="w", h_last="h_last")
    whole.expose_keys("h_last")
    return whole


@pytest.mark.parametrize("around", [lambda loop: loop, read_through_a_buffer])
@pytest.mark.parametrize("target", TARGETS)
def test_a_derivative_by_what_all_steps_read_is_that_of_one_step(target, around):
    """As a gradient in the body of jax.lax.scan: the value before the step does not count."""
    backend, to = backend_of(target)
    model = around(ml.Scan(by_outer_value(), carry={"h": "h_next"}, length=4))
    (name,) = set(model.input_keys) - {"h"}
    compiled = ml.compile(model, backend, data_keys=["h", name])
    h, w, seed = np.array([1.0, -2.0, 0.5]), np.array([0.8, 2.0, -1.0]), np.arange(1.0, 4.0)
    out, grad = compiled.evaluate(
        {},
        to({"h": h, name: w}),
        output_gradients=to({"h_last": seed}),
        gradient_keys=["h", name],
    )
    kept = 1 - np.cos(w)
    np.testing.assert_allclose(np.asarray(out["h_last"]), h * kept**4, rtol=1e-12)
    np.testing.assert_allclose(np.asarray(grad["h"]), seed * kept**4, rtol=1e-12)
    slope = seed * h * 4 * kept**3 * np.sin(w)
    np.testing.assert_allclose(np.asarray(grad[name]), slope, rtol=1e-12)


def test_only_paths_in_the_body_count():
    """v is a function of w, outside of the loop."""
    h, w, v = (ml.IOKey(key, shape=[3]) for key in "hwv")
    step = ml.Model.create(h_next=h - ml.gradient((h * w.sin() * v).sum(), w))
    whole = ml.Model()
    twice = whole.add_input("w") * 2.0
    whole |= ml.Scan(step, carry={"h": "h_next"}, length=2)(h="h", w="w", v=twice, h_last="h_last")
    compiled = ml.compile(whole, CPU, data_keys=["h", "w"])
    start, at = np.array([1.0, -2.0, 0.5]), np.array([0.8, 2.0, -1.0])
    got = compiled.evaluate({}, {"h": start, "w": at})["h_last"]
    np.testing.assert_allclose(got, start * (1 - np.cos(at) * 2 * at) ** 2, rtol=1e-12)


def of_a_layer():
    """h minus the gradient of a loss by the parameters of the layer that the step applies."""
    layer, h = ml.Linear(3), ml.IOKey("h", shape=[2, 3])
    loss = (ml.Tanh()(layer(h)) * h).sum()
    weight, bias = ml.gradient(loss, [layer.weight, layer.bias])
    return ml.Model.create(h_next=h - 0.1 * (h @ weight + bias))


def of_a_layer_as_model():
    """The same by ml.Gradient."""
    net = ml.Model()
    net |= ml.Linear(3)(input="h", output="a")
    net |= ml.Buffer()(input=(ml.Tanh()(net.a) * net.add_input("g")).sum(), output="loss")
    net.expose_keys("loss")
    step = ml.Model()
    step |= ml.Gradient(net, of="loss", wrt=["*weight", "*bias"])(
        h="h", g="h", **{"linear.weight.grad": "dw", "linear.bias.grad": "db"}
    )
    h = ml.IOKey("h", shape=[2, 3])
    step |= ml.Buffer()(input=h - 0.1 * (h @ step.dw + step.db), output="h_next")
    step.expose_keys("h_next")
    return step


@pytest.mark.parametrize("around", ["scan", "while", "then", "otherwise", "nested"])
@pytest.mark.parametrize("target", TARGETS)
def test_a_derivative_by_parameters_equals_that_of_a_model(target, around):
    def composed(make):
        if around in ("then", "otherwise"):
            other = ml.Model.create(h_next=ml.IOKey("h", shape=[2, 3]) * 2.0)
            return ml.Cond("c", *((make(), other) if around == "then" else (other, make())))
        if around == "while":
            small = ml.Model.create(small=ml.IOKey("h").sum() < 100.0)
            return ml.While(small, make(), carry={"h": "h_next"}, max_steps=3)
        if around == "nested":
            inner = ml.Scan(make(), carry={"h": "h_next"}, length=2)
            return ml.Scan(inner, carry={"h": "h_last"}, length=3)
        return ml.Scan(make(), carry={"h": "h_next"}, length=3)

    backend, to = backend_of(target)
    got, expected = (
        ml.compile(composed(make), where, data_keys=["h"])
        for make, where in ((of_a_layer, backend), (of_a_layer_as_model, CPU))
    )
    data = {"h": H} | ({"c": np.array(around == "then")} if "c" in expected.input_keys else {})
    (key,) = expected.output_keys
    assert_equal(
        run(got, parameters(got), data, to, key),
        run(expected, parameters(expected), data, dict, key),
    )


@pytest.mark.parametrize("target", ["cpu", "torch"])
def test_a_hessian_by_what_all_steps_read(target):
    """Of the sum of h w^3: 6 h w on the diagonal."""
    backend, to = backend_of(target)
    h, w = ml.IOKey("h", shape=[3]), ml.IOKey("w", shape=[3])
    hessian = ml.hessian((h * w * w * w).sum(), w)
    product = ml.hvp((h * w * w * w).sum(), w, h)
    step = ml.Model.create(h_next=hessian.sum(axis=0) - 0.5 * product)
    compiled = ml.compile(
        ml.Scan(step, carry={"h": "h_next"}, length=2), backend, data_keys=["h", "w"]
    )
    start, at = np.array([1.0, -2.0, 0.5]), np.array([0.8, 2.0, -1.0])
    got = compiled.evaluate({}, to({"h": start, "w": at}))["h_last"]
    expected = start
    for _ in range(2):
        expected = 6 * expected * at - 0.5 * 6 * expected * at * expected
    np.testing.assert_allclose(np.asarray(got), expected, rtol=1e-12)


@needs_compiler
def test_generated_code_of_a_derivative_by_what_all_steps_read(tmp_path):
    loop = ml.Scan(by_outer_value(), carry={"h": "h_next"}, length=4)
    compiled = ml.compile(loop, CPU, data_keys=["h", "w"])
    h, w = np.array([1.0, -2.0, 0.5]), np.array([0.8, 2.0, -1.0])
    made = GeneratedCpp(compiled, tmp_path).evaluate({"h": h, "w": w}, {"h_last": h})
    np.testing.assert_allclose(made["h_last"], h * (1 - np.cos(w)) ** 4, rtol=1e-12)


@pytest.mark.parametrize("target", TARGETS)
def test_a_vmap_over_what_a_derivative_in_a_loop_is_by(target):
    """The loop is in the vmap: the index of the value belongs to the vmap, not to the step."""
    backend, to = backend_of(target)
    loop = ml.Scan(by_outer_value(), carry={"h": "h_next"}, length=4)
    mapped = ml.vmap(loop, in_axes={"w": 0})
    compiled = ml.compile(mapped, backend, shapes={"h": [3], "w": [2, 3]}, data_keys=["h", "w"])
    h = np.array([1.0, -2.0, 0.5])
    w, seed = np.random.default_rng(2).normal(size=(2, 2, 3))
    out, grad = compiled.evaluate(
        {}, to({"h": h, "w": w}), output_gradients=to({"h_last": seed}), gradient_keys=["w"]
    )
    kept = 1 - np.cos(w)
    np.testing.assert_allclose(np.asarray(out["h_last"]), h * kept**4, rtol=1e-12)
    slope = seed * h * 4 * kept**3 * np.sin(w)
    np.testing.assert_allclose(np.asarray(grad["w"]), slope, rtol=1e-12)
