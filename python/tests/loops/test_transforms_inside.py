"""Derivatives and vmap of values from outside, in loops and branches."""

import numpy as np
import pytest
from branch_models import TARGETS, backend_of

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


def test_a_derivative_by_what_all_steps_read_is_refused():
    """The steps before depend on it, too, so the derivative of one step is not that of the loop."""
    h, w = ml.IOKey("h", shape=[3]), ml.IOKey("w", shape=[3])
    step = ml.Model.create(h_next=h - ml.gradient((h * w.sin()).sum(), w))
    loop = ml.Scan(step, carry={"h": "h_next"}, length=5)
    whole = ml.Model()
    whole |= ml.Buffer()(input="v", output="w")
    whole |= loop.copy()(h="h", w="w", h_last="y")
    for model in (loop, whole):
        with pytest.raises(ml.ConnectionError) as raised:
            ml.compile(model, CPU, data_keys=["h"])
        text = str(raised.value)
        assert text.startswith("mithril.ConnectionError[E0131]: ")
        assert (
            "op 'gradient_of' cannot be in a loop: it transforms 'w', which no step or branch"
            in text
        )
        assert text.endswith(
            "\n  help: differentiate a model in the loop: ml.Gradient(model, of=..., wrt=[...]), "
            "or make the value a carry that does not change"
        )


def test_a_derivative_by_a_parameter_of_a_layer_in_a_branch_is_refused():
    first = ml.Model()
    layer = ml.Linear(3)
    first |= layer(input="h", output="a")
    first |= ml.Sum()(input="a", output="total")
    first |= ml.Buffer()(input=ml.gradient(first.total, layer.weight), output="y")
    first.expose_keys("y")
    other = ml.Model.create(y=ml.IOKey("h", shape=[3, 3]) * 2.0)
    with pytest.raises(ml.ConnectionError) as raised:
        ml.compile(ml.Cond("c", first, other), CPU, data_keys=["h"], shapes={"h": [3, 3]})
    text = str(raised.value)
    assert "cannot be in a branch: it transforms " in text
    assert text.endswith(
        "\n  help: differentiate a model in the branch: ml.Gradient(model, of=..., wrt=[...]), or "
        "make the value an input of the branch"
    )
