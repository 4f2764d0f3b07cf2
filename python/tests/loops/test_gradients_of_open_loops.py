"""Gradients through `While` without `max_steps`: an error at the call, if the path is known."""

import numpy as np
import pytest

import mithril as ml

CPU = ml.CpuBackend(dtype=ml.float64)
DERIVATIVES = [ml.Gradient, ml.Hvp, ml.Jacobian, ml.Hessian]


def root(**options) -> ml.Model:
    x, a = ml.IOKey("x"), ml.IOKey("a")
    far = ml.Model.create(far=(x * x - a).abs() > 1e-9)
    return ml.While(far, ml.Model.create(n=0.5 * (x + a / x)), carry={"x": "n"}, **options)


def network(between: ml.Model | None = None, **options) -> ml.Model:
    """loss = 2 * root(a) + b, with a part between the root and the product."""
    net = ml.Model()
    net |= root(**options)(x="x", a="a", x_last="r")
    net |= (between or ml.Buffer())(input="r", output="seen")
    net |= ml.Multiply()(left="seen", right=2.0, output="twice")
    net |= ml.Add()(left="twice", right="b", output="loss")
    net.expose_keys("loss")
    net.set_shapes(x=[], a=[], b=[])
    return net


def text_of(call) -> str:
    with pytest.raises(ml.GradientError) as raised:
        call()
    return str(raised.value)


def refusal(loop: str, of: str, wrt: str) -> str:
    return (
        f"mithril.GradientError[E0501]: {loop}: no gradient flows through a loop whose number of "
        "steps has no bound\n"
        f"  of     : {of}\n"
        f"  wrt    : {wrt}\n"
        "  reason : the gradient keeps values of all steps\n"
        "  help: give the most steps: max_steps of While, or end the gradient with StopGradient"
    )


@pytest.mark.parametrize("make", DERIVATIVES)
def test_a_derivative_of_a_model(make):
    net = network()
    assert text_of(lambda: make(net, of="loss", wrt=["a"])) == refusal("while", "loss", "a")
    compiled = ml.compile(net, CPU, data_keys=["x", "a", "b"])  # the model is as it was
    data = {"x": np.array(1.0), "a": np.array(9.0), "b": np.array(1.0)}
    np.testing.assert_allclose(compiled.evaluate({}, data)["loss"], 7.0)


@pytest.mark.parametrize("key", ["x", "a"])
def test_the_loop_itself(key):
    loop = root()
    assert text_of(lambda: ml.Gradient(loop, of="x_last", wrt=[key])) == refusal(
        "While", "x_last", key
    )


@pytest.mark.parametrize("make", [*DERIVATIVES, ml.Jvp])
@pytest.mark.parametrize("options", [{}, {"max_steps": 30}])
def test_what_the_loop_does_not_concern(make, options):
    wrt = ["a", "b"] if options else ["b"]
    model = make(network(**options), of="loss", wrt=wrt)
    shapes = {key: [] for key in model.input_keys}
    ml.compile(model, CPU, shapes=shapes, data_keys=list(shapes))


def test_connections():
    x, a = ml.IOKey("x", shape=[]), ml.IOKey("a", shape=[])
    result = root()(x=x, a=a)
    loss = result * result
    for derive in (
        lambda: ml.gradient(loss, a),
        lambda: ml.hvp(loss, a, 1.0),
        lambda: ml.jacobian(loss, a),
        lambda: ml.hessian(loss, a),
    ):
        assert text_of(derive).startswith("mithril.GradientError[E0501]: while: no gradient flows")


def test_a_loop_deep_in_a_model():
    outer = ml.Model()
    outer |= network()(x="x", a="a", b="b", loss="inner")
    outer |= ml.Sine()(input="inner", output="y")
    outer.expose_keys("y")
    assert text_of(lambda: ml.Gradient(outer, of="y", wrt=["a"])) == refusal(
        "model.while", "y", "a"
    )


@pytest.mark.parametrize("part", [ml.StopGradient, ml.Sign, ml.Floor])
def test_a_path_that_ends_before_the_loop(part):
    model = ml.Gradient(network(part()), of="loss", wrt=["a"])
    compiled = ml.compile(model, CPU, data_keys=["x", "a", "b"])
    data = {"x": np.array(1.0), "a": np.array(9.0), "b": np.array(1.0)}
    assert compiled.evaluate({}, data)["a.grad"] == 0.0


def test_a_fixed_point_with_the_gradient_of_its_last_step():
    """Only the step after the loop has a gradient: (1 + a / r) / 2 by a, at r = 3."""
    x, a = ml.IOKey("x", shape=[]), ml.IOKey("a", shape=[])
    fixed = ml.StopGradient()(root()(x=x, a=a))
    model = ml.Gradient(ml.Model.create(y=0.5 * (fixed + a / fixed)), of="y", wrt=["a"])
    compiled = ml.compile(model, CPU, data_keys=["x", "a"])
    data = {"x": np.array(1.0), "a": np.array(9.0)}
    np.testing.assert_allclose(compiled.evaluate({}, data)["a.grad"], 1.0 / 6.0)


def test_ints_that_a_loop_counts():
    n = ml.IOKey("n", type=ml.Tensor[int])
    below, step = ml.Model.create(c=n < 10), ml.Model.create(m=n + 1)
    net = ml.Model()
    net |= ml.While(below, step, carry={"n": "m"})(n="n", n_last="count")
    net |= ml.Multiply()(left="count", right="b", output="y")
    net.expose_keys("y")
    net.set_shapes(n=[], b=[])
    model = ml.Gradient(net, of="y", wrt=["b"])
    compiled = ml.compile(model, CPU, data_keys=["n", "b"])
    data = {"n": np.array(0), "b": np.array(2.0)}
    assert compiled.evaluate({}, data)["b.grad"] == 10.0


def test_a_derivative_of_each_step_in_the_body():
    """Only the paths in the body count, so the loop around it has no part in them."""
    h = ml.IOKey("h", shape=[])
    energy = (h * h - 4.0) ** 2.0
    step = ml.Model.create(h_next=h - 0.01 * ml.gradient(energy, h))
    far = ml.Model.create(far=(h * h - 4.0).abs() > 1e-6)
    compiled = ml.compile(ml.While(far, step, carry={"h": "h_next"}), CPU, data_keys=["h"])
    found = compiled.evaluate({}, {"h": np.array(1.0)})["h_last"]
    np.testing.assert_allclose(found, 2.0, atol=1e-6)


def test_a_loop_in_a_derivative():
    net = ml.Model()
    net |= ml.Gradient(network(), of="loss", wrt=["b"])(a="a", b="b", x="x", loss="loss")
    net.expose_keys("loss")
    text = text_of(lambda: ml.Gradient(net, of="loss", wrt=["a"]))
    assert text == refusal("gradient.model.while", "loss", "a")
