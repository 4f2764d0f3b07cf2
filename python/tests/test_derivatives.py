"""Derivatives as parts: against torch.func, on each backend, and the errors of wrong calls."""

import numpy as np
import pytest

import mithril as ml

torch = pytest.importorskip("torch")


def float64_cpu() -> ml.CpuBackend:
    return ml.CpuBackend(ml.float64)


def run(model: ml.Model, data: dict, params: dict | None = None, backend: object = None) -> dict:
    compiled = ml.compile(
        model,
        backend or float64_cpu(),
        data_keys=set(data),
        shapes={key: list(np.shape(value)) for key, value in data.items()},
    )
    return compiled.evaluate(params or {}, data)


def network() -> ml.Model:
    net = ml.Model()
    net |= ml.Linear(5)(input="x", output="h")
    net |= ml.Tanh()(input="h", output="a")
    net |= ml.Linear(2)(input="a", output="y")
    net |= ml.Sigmoid()(input="y", output="s")
    net |= ml.Mean()(input="s", output="loss")
    net.expose_keys("y", "loss")
    return net


NAMES = ["linear.weight", "linear.bias", "linear_1.weight", "linear_1.bias"]
SHAPES = [(5, 3), (5,), (2, 5), (2,)]


def reference(values: dict) -> tuple:
    """The same network as a function of torch, with its parameters and its input."""

    def forward(params: dict, x: torch.Tensor) -> torch.Tensor:
        h = torch.tanh(x @ params[NAMES[0]].T + params[NAMES[1]])
        return h @ params[NAMES[2]].T + params[NAMES[3]]

    def loss(params: dict, x: torch.Tensor) -> torch.Tensor:
        return torch.sigmoid(forward(params, x)).mean()

    return forward, loss, {name: torch.from_numpy(values[name]) for name in NAMES}


@pytest.fixture
def values() -> dict:
    random = np.random.default_rng(3)
    made = {name: random.normal(size=shape) for name, shape in zip(NAMES, SHAPES, strict=True)}
    made["x"] = random.normal(size=(4, 3))
    return made


def params_of(values: dict, prefix: str = "") -> dict:
    return {prefix + name: values[name] for name in NAMES}


def close(got: object, expected: object) -> None:
    np.testing.assert_allclose(np.asarray(got), np.asarray(expected), rtol=1e-10, atol=1e-12)


def test_a_gradient_model_has_the_gradients_of_torch(values: dict) -> None:
    model = ml.Gradient(network(), of="loss", wrt=["x", "*.weight"])
    assert model.output_keys == [
        "y",
        "loss",
        "x.grad",
        "linear.weight.grad",
        "linear_1.weight.grad",
    ]
    _, loss, params = reference(values)
    by_params, by_x = torch.func.grad(loss, argnums=(0, 1))(params, torch.from_numpy(values["x"]))
    outputs = run(model, {"x": values["x"]}, params_of(values))
    close(outputs["x.grad"], by_x)
    for name in ("linear.weight", "linear_1.weight"):
        close(outputs[name + ".grad"], by_params[name])


def test_an_output_that_is_no_scalar_has_an_incoming_gradient(values: dict) -> None:
    model = ml.Gradient(network(), of="y", wrt=["x"])
    assert "y.grad" in model.input_keys
    forward, _, params = reference(values)
    incoming = np.random.default_rng(5).normal(size=(4, 2))
    _, vjp = torch.func.vjp(lambda x: forward(params, x), torch.from_numpy(values["x"]))
    outputs = run(model, {"x": values["x"], "y.grad": incoming}, params_of(values))
    close(outputs["x.grad"], vjp(torch.from_numpy(incoming))[0])


def test_a_directional_derivative_is_that_of_torch(values: dict) -> None:
    forward, _, params = reference(values)
    tangent = np.random.default_rng(6).normal(size=(4, 3))
    weights = np.random.default_rng(7).normal(size=(2, 5))
    model = ml.Jvp(network(), of="y", wrt=["x", "linear_1.weight"])
    outputs = run(
        model,
        {"x": values["x"], "x.tangent": tangent, "linear_1.weight.tangent": weights},
        params_of(values),
    )
    zeros = {name: torch.zeros_like(value) for name, value in params.items()}
    _, expected = torch.func.jvp(
        forward,
        (params, torch.from_numpy(values["x"])),
        ({**zeros, "linear_1.weight": torch.from_numpy(weights)}, torch.from_numpy(tangent)),
    )
    close(outputs["y.tangent"], expected)


def test_a_product_with_the_hessian_is_that_of_torch(values: dict) -> None:
    _, loss, params = reference(values)
    x = torch.from_numpy(values["x"])
    vector = np.random.default_rng(8).normal(size=(5, 3))
    model = ml.Hvp(network(), of="loss", wrt=["linear.weight"])
    outputs = run(model, {"x": values["x"], "linear.weight.tangent": vector}, params_of(values))

    def gradient(weight: torch.Tensor) -> torch.Tensor:
        return torch.func.grad(loss)({**params, "linear.weight": weight}, x)["linear.weight"]

    _, expected = torch.func.jvp(gradient, (params["linear.weight"],), (torch.from_numpy(vector),))
    close(outputs["linear.weight.hvp"], expected)


@pytest.mark.parametrize("backend", ["cpu", "reference", "torch", "jax"])
def test_derivatives_to_the_third_order_agree_with_torch(backend: str, values: dict) -> None:
    made = {
        "cpu": float64_cpu,
        "reference": lambda: ml.CpuBackend(ml.float64, reference=True),
        "torch": lambda: ml.TorchBackend(dtype=ml.float64),
        "jax": lambda: ml.JaxBackend(dtype=ml.float64),
    }
    if backend == "jax":
        pytest.importorskip("jax")
    x = ml.IOKey("x")
    u = (ml.Tanh()(x) * x).exp()
    orders = [u]
    for _ in range(3):
        orders.append(ml.gradient(orders[-1], x, seed=1.0))
    model = ml.Model.create(**{f"d{i}": order for i, order in enumerate(orders)})
    outputs = run(model, {"x": values["x"]}, backend=made[backend]())

    def function(t: torch.Tensor) -> torch.Tensor:
        return torch.exp(torch.tanh(t) * t)

    for order in range(4):
        at = torch.from_numpy(values["x"]).flatten()
        close(np.asarray(outputs[f"d{order}"]).flatten(), torch.func.vmap(function)(at))
        function = torch.func.grad(function)


def test_a_loss_of_gradients_trains_the_parameters(values: dict) -> None:
    """The gradient penalty of WGAN-GP: its gradients by the parameters are those of torch."""
    net = network()
    inner = ml.Gradient(net, of="loss", wrt=["x"])
    penalised = ml.Model()
    penalised |= inner(x="x", **{"x.grad": "slope"})
    penalised |= ml.Sum()(input=(penalised["slope"] * penalised["slope"]), output="penalty")
    compiled = ml.compile(penalised, float64_cpu(), shapes={"x": [4, 3]}, data_keys={"x"})
    keys = {key.removeprefix("gradient."): key for key in compiled.parameter_keys}
    params = {key: values[name] for name, key in keys.items()}
    _, gradients = compiled.evaluate(
        params, {"x": values["x"]}, output_gradients={"penalty": np.array(1.0)}
    )
    _, loss, reference_params = reference(values)

    def penalty(given: dict) -> torch.Tensor:
        return (torch.func.grad(loss, argnums=1)(given, torch.from_numpy(values["x"])) ** 2).sum()

    expected = torch.func.grad(penalty)(reference_params)
    for name, key in keys.items():
        close(gradients[key], expected[name])


def test_paths_outside_a_gradient_model_do_not_count() -> None:
    product = ml.Model()
    product |= ml.Multiply()(left="a", right="b", output="p")
    product |= ml.Sum()(input="p", output="total")
    outer = ml.Model()
    outer |= ml.Gradient(product, of="total", wrt=["a"])(a="x", b="x", **{"a.grad": "by_a"})
    x = np.array([2.0, 3.0])
    close(run(outer, {"x": x})["by_a"], x)  # and not 2 x


def test_all_paths_of_connections_count() -> None:
    x = ml.IOKey("x", shape=[2])
    squared = x * x
    by_x, by_squared = ml.gradient((squared * x).sum(), [x, squared])
    outputs = run(ml.Model.create(by_x=by_x, by_squared=by_squared), {"x": np.array([2.0, 3.0])})
    close(outputs["by_x"], [12.0, 27.0])
    close(outputs["by_squared"], [2.0, 3.0])


def test_what_does_not_depend_has_a_zero_gradient() -> None:
    x, y = ml.IOKey("x", shape=[2]), ml.IOKey("y", shape=[3])
    model = ml.Model.create(by_y=ml.gradient((x * x).sum() + y.sum() * 0, [x, y])[1])
    close(run(model, {"x": np.ones(2), "y": np.ones(3)})["by_y"], np.zeros(3))


def test_parameters_of_a_gradient_model_start_as_those_of_the_model() -> None:
    alone = ml.compile(network(), float64_cpu(), shapes={"x": [4, 3]}, data_keys={"x"})
    model = ml.Gradient(network(), of="loss", wrt=["linear.*"])
    compiled = ml.compile(model, float64_cpu(), shapes={"x": [4, 3]}, data_keys={"x"})
    assert set(compiled.parameter_keys) == set(alone.parameter_keys)
    for key, value in alone.get_parameters().items():
        np.testing.assert_array_equal(compiled.get_parameters()[key], value)


def test_an_initializer_of_the_user_is_kept() -> None:
    net = network()
    net.set_initializer("linear.bias", ml.initializers.constant(3.0))
    model = ml.Gradient(net, of="loss", wrt=["linear.*"])
    compiled = ml.compile(model, float64_cpu(), shapes={"x": [4, 3]}, data_keys={"x"})
    np.testing.assert_array_equal(compiled.get_parameters()["linear.bias"], np.full(5, 3.0))


def test_derivatives_survive_json_copies_and_pickling(values: dict) -> None:
    import pickle  # noqa: PLC0415

    def model() -> ml.Model:
        return ml.Hvp(network(), of="loss", wrt=["x"])

    data = {"x": values["x"], "x.tangent": values["x"] * 2}
    expected = run(model(), data, params_of(values))["x.hvp"]
    for other in (
        ml.Model.from_json(model().to_json()),
        model().copy(),
        pickle.loads(pickle.dumps(model())),
    ):
        close(run(other, data, params_of(values))["x.hvp"], expected)


def test_a_gradient_in_mixed_precision_is_close(values: dict) -> None:
    model = ml.Gradient(network(), of="loss", wrt=["x"])
    exact = run(model.copy(), {"x": values["x"]}, params_of(values))["x.grad"]
    backend = ml.CpuBackend(use_amp=True)
    mixed = run(model, {"x": values["x"]}, params_of(values), backend)["x.grad"]
    np.testing.assert_allclose(mixed, exact, rtol=0.05, atol=2e-3)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: ml.Gradient(network(), of="lost", wrt=["x"]), "NameError", "loss"),
        (lambda: ml.Gradient(network(), of="loss", wrt=["y*"]), "NameError", "no input matches"),
        (
            lambda: ml.Hvp(network(), of="loss", wrt=["h"]),
            "NameError",
            "E0623]: no input matches the pattern 'h': it is a value that is no input of the model",
        ),
        (lambda: ml.gradient(ml.IOKey("x", shape=[2]) * 2.0, ml.IOKey("x")), "ShapeError", "seed"),
        (lambda: ml.jvp(ml.IOKey("x") * 2, [ml.IOKey("x")], []), "ValueError", "tangents"),
        (lambda: ml.jvp(ml.IOKey("x") * 2, ml.IOKey("x"), []), "TypeError", "an array"),
        (lambda: ml.Gradient(network(), of="loss", wrt=[]), "ConnectionError", "'wrt' is empty"),
        (lambda: ml.hvp(ml.IOKey("x") * 2.0, [], []), "ValueError", "vectors must match wrt"),
        (lambda: ml.gradient(ml.IOKey("x", shape=[2]) * 2.0, "x"), "TypeError", "connection"),
    ],
)
def test_wrong_calls_are_named(call: object, error: str, text: str) -> None:
    with pytest.raises(getattr(ml, error)) as raised:
        call()
    assert text in str(raised.value)
