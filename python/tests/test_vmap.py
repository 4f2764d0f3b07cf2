"""A model over a new axis: against a loop over its indices, torch.func.vmap, and wrong calls."""

import pickle

import numpy as np
import pytest

import mithril as ml

torch = pytest.importorskip("torch")


def close(got: object, expected: object) -> None:
    np.testing.assert_allclose(np.asarray(got), np.asarray(expected), rtol=1e-10, atol=1e-12)


def compiled_of(model: ml.Model, data: dict, backend: object = None) -> ml.CompiledModel:
    return ml.compile(
        model,
        backend or ml.CpuBackend(ml.float64),
        data_keys=set(data),
        shapes={key: list(np.shape(value)) for key, value in data.items()},
    )


def network() -> ml.Model:
    net = ml.Model()
    net |= ml.Linear(5)(input="x", output="h")
    net |= ml.LayerNorm()(input="h", output="n")
    net |= ml.Tanh()(input="n", output="a")
    net |= ml.Linear(2)(input="a", output="y")
    return net


def params_of(compiled: ml.CompiledModel, seed: int = 3) -> dict:
    random = np.random.default_rng(seed)
    return {key: random.normal(size=v.shape) for key, v in compiled.get_parameters().items()}


X = np.random.default_rng(1).normal(size=(6, 4, 3))


def test_a_model_runs_for_each_index_of_an_input() -> None:
    alone = compiled_of(network(), {"x": X[0]})
    params = params_of(alone)
    expected = np.stack([alone.evaluate(params, {"x": x})["y"] for x in X])
    mapped = compiled_of(ml.vmap(network(), in_axes={"x": 0}), {"x": X})
    assert set(mapped.parameter_keys) == set(alone.parameter_keys)
    close(mapped.evaluate(params, {"x": X})["y"], expected)


def test_the_axis_may_be_any_of_the_input_and_of_the_output() -> None:
    alone = compiled_of(network(), {"x": X[0]})
    params = params_of(alone)
    expected = np.stack([alone.evaluate(params, {"x": x})["y"] for x in X], axis=2)
    x = np.moveaxis(X, 0, 1)
    mapped = compiled_of(ml.vmap(network(), in_axes={"x": 1}, out_axes=-1), {"x": x})
    close(mapped.evaluate(params, {"x": x})["y"], expected)


@pytest.mark.parametrize("backend", ["cpu", "reference", "torch", "jax"])
def test_an_ensemble_is_several_models(backend: str) -> None:
    if backend == "jax":
        pytest.importorskip("jax")
    made = {
        "cpu": lambda: ml.CpuBackend(ml.float64),
        "reference": lambda: ml.CpuBackend(ml.float64, reference=True),
        "torch": lambda: ml.TorchBackend(dtype=ml.float64),
        "jax": lambda: ml.JaxBackend(dtype=ml.float64),
    }
    ensemble = compiled_of(ml.vmap(network(), params="*", size=8), {"x": X[0]}, made[backend]())
    params = params_of(ensemble)
    assert all(value.shape[0] == 8 for value in params.values())
    outputs, gradients = ensemble.evaluate(
        params, {"x": X[0]}, output_gradients={"y": np.ones((8, 4, 2))}
    )
    alone = compiled_of(network(), {"x": X[0]})
    for member in range(8):
        own = {key: value[member] for key, value in params.items()}
        expected, slopes = alone.evaluate(own, {"x": X[0]}, output_gradients={"y": np.ones((4, 2))})
        close(outputs["y"][member], expected["y"])
        for key, slope in slopes.items():
            close(np.asarray(gradients[key])[member], slope)


def test_an_ensemble_has_data_of_its_own_for_each_member() -> None:
    mapped = compiled_of(ml.vmap(network(), in_axes={"x": 0}, params=["*"]), {"x": X})
    params = params_of(mapped)
    alone = compiled_of(network(), {"x": X[0]})
    for member, x in enumerate(X):
        own = {key: value[member] for key, value in params.items()}
        close(mapped.evaluate(params, {"x": X})["y"][member], alone.evaluate(own, {"x": x})["y"])


def test_members_begin_as_a_model_alone_and_differ() -> None:
    """Each member is drawn with the fan of its own weight, not that of all members."""
    net = ml.Model()
    net |= ml.Linear(64)(input="x", output="y")
    params = compiled_of(
        ml.vmap(net, params="*", size=8), {"x": np.zeros((1, 100))}
    ).get_parameters()
    weight, bias = params["linear.weight"], params["linear.bias"]
    assert weight.shape == (8, 64, 100)
    bound = 1 / np.sqrt(100)
    for member in range(8):
        assert 0.95 * bound < np.abs(weight[member]).max() <= bound
        assert np.abs(bias[member]).max() <= bound
    assert len({float(value) for value in weight[:, 0, 0]}) == 8


def test_statements_about_keys_are_kept() -> None:
    """Frozen parameters, intervals, and initializers that are given later."""
    net = ml.Model()
    net |= ml.Linear(4, name="fc")(input="x", output="h")
    net |= ml.Multiply()(left="h", right=ml.IOKey("scale", interval=(2.0, 3.0)), output="y")
    net.set_differentiability({"fc.weight": False})
    mapped = ml.vmap(net, in_axes={"scale": 0}, params="*", size=3)
    mapped.set_initializer("fc.bias", ml.initializers.kaiming_uniform())
    x = np.ones((2, 5))
    compiled = ml.compile(
        mapped, ml.CpuBackend(ml.float64), data_keys={"x"}, shapes={"x": [2, 5], "scale": [3, 4]}
    )
    params = compiled.get_parameters()
    assert params["scale"].min() >= 2 and params["scale"].max() <= 3
    _, gradients = compiled.evaluate(params, {"x": x}, output_gradients={"y": np.ones((3, 2, 4))})
    assert "fc.weight" not in gradients and "fc.bias" in gradients


def test_a_derivative_keeps_a_parameter_frozen() -> None:
    net = ml.Model()
    net |= ml.Linear(4, name="fc")(input="x", output="y")
    net.set_differentiability({"fc.weight": False})
    data = {"x": np.ones((2, 5)), "y.grad": np.ones((2, 4))}
    compiled = compiled_of(ml.Gradient(net, of="y", wrt=["fc.weight"]), data)
    _, gradients = compiled.evaluate(
        compiled.get_parameters(), data, output_gradients={"y": np.ones((2, 4))}
    )
    assert "fc.weight" not in gradients and "fc.bias" in gradients


def test_a_later_initializer_draws_each_member() -> None:
    net = ml.Model()
    net |= ml.Linear(64)(input="x", output="y")
    mapped = ml.vmap(net, params="*", size=8)
    mapped.set_initializer("linear.weight", ml.initializers.kaiming_uniform())
    weight = compiled_of(mapped, {"x": np.zeros((1, 100))}).get_parameters()["linear.weight"]
    bound = np.sqrt(6 / 100)
    assert 0.95 * bound < np.abs(weight).max() <= bound


def test_an_exact_name_counts_before_a_pattern() -> None:
    net = ml.Model()
    net |= ml.Add()(left="x", right="z", output="y")
    x, z = np.arange(6.0).reshape(3, 2), np.arange(6.0).reshape(2, 3)
    compiled = compiled_of(ml.vmap(net, in_axes={"*": 0, "x": 1}), {"x": x, "z": z})
    close(compiled.evaluate({}, {"x": x, "z": z})["y"], x.T + z)
    net = ml.Model()
    net |= ml.Add()(left="x", right="z", output="y")
    with pytest.raises(ml.ValueError, match="two patterns give 'x' different axes"):
        ml.vmap(net, in_axes={"x*": 0, "*": 1})
    with pytest.raises(ml.ValueError, match="a parameter has the new axis first"):
        ml.vmap(network(), in_axes={"linear.weight": 1})
    with pytest.raises(ml.ValueError, match="size is -1"):
        ml.vmap(network(), params="*", size=-1)


def test_a_part_of_a_model_is_refused() -> None:
    net, outer = network(), ml.Model()
    outer |= net(x="x", y="y")
    with pytest.raises(ml.ConnectionError, match="belongs to a model already"):
        ml.vmap(net, params="*", size=2)


def test_the_number_of_indices_may_be_open() -> None:
    compiled = ml.compile(
        ml.vmap(network(), in_axes={"x": 0}),
        ml.CpuBackend(ml.float64),
        data_keys={"x"},
        shapes={"x": [None, None, 3]},
    )
    alone = compiled_of(network(), {"x": X[0]})
    params = params_of(alone)
    for count in (1, 2, 6):
        expected = [alone.evaluate(params, {"x": x})["y"] for x in X[:count]]
        close(compiled.evaluate(params, {"x": X[:count]})["y"], np.stack(expected))
    assert compiled.evaluate(params, {"x": X[:0]})["y"].shape == (0, 4, 2)


def test_vmap_of_vmap() -> None:
    x = np.random.default_rng(2).normal(size=(2, 6, 4, 3))
    inner = ml.vmap(network(), in_axes={"x": 0})
    twice = compiled_of(ml.vmap(inner, in_axes={"x": 0}, params="*"), {"x": x})
    params = params_of(twice)
    alone = compiled_of(network(), {"x": X[0]})
    got = twice.evaluate(params, {"x": x})["y"]
    for i in range(2):
        own = {key: value[i] for key, value in params.items()}
        for j in range(6):
            close(got[i, j], alone.evaluate(own, {"x": x[i, j]})["y"])


def test_gradients_inside_vmap_are_those_of_each_index() -> None:
    """Gradients of single samples, as torch.func computes them."""
    net = ml.Model()
    net |= ml.Linear(1)(input="x", output="y")
    net |= ml.Tanh()(input="y", output="t")
    net |= ml.Sum()(input="t", output="total")
    each = ml.vmap(ml.Gradient(net, of="total", wrt=["linear.*"]), in_axes={"x": 0})
    x = np.random.default_rng(4).normal(size=(5, 1, 3))
    compiled = compiled_of(each, {"x": x})
    params = params_of(compiled)
    outputs = compiled.evaluate(params, {"x": x})
    weight, bias = (torch.from_numpy(params[key]) for key in ("linear.weight", "linear.bias"))

    def total(weight: torch.Tensor, bias: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        return torch.tanh(x @ weight.T + bias).sum()

    by_weight, by_bias = torch.func.vmap(torch.func.grad(total, (0, 1)), (None, None, 0))(
        weight, bias, torch.from_numpy(x)
    )
    close(outputs["linear.weight.grad"], by_weight)
    close(outputs["linear.bias.grad"], by_bias)


def test_vmap_survives_json_copies_and_pickling() -> None:
    def model() -> ml.Model:
        return ml.vmap(network(), in_axes={"x": 0}, params="linear.*")

    first = compiled_of(model(), {"x": X})
    params = params_of(first)
    expected = first.evaluate(params, {"x": X})["y"]
    for other in (
        ml.Model.from_json(model().to_json()),
        model().copy(),
        pickle.loads(pickle.dumps(model())),
    ):
        compiled = compiled_of(other, {"x": X})
        close(compiled.evaluate(params, {"x": X})["y"], expected)
        for key, value in compiled.get_parameters().items():
            np.testing.assert_array_equal(value, first.get_parameters()[key])


def test_masks_of_dropout_differ_for_each_index() -> None:
    net = ml.Model()
    net |= ml.Dropout(0.5)(input="x", output="y")
    ones = np.ones((4, 64))
    compiled = compiled_of(ml.vmap(net, in_axes={"x": 0}), {"x": ones})
    outputs, _ = compiled.evaluate({}, {"x": ones}, state=compiled.initial_state_dict)
    masks = {tuple(row) for row in np.asarray(outputs["y"])}
    assert len(masks) == 4


@pytest.mark.parametrize("forward", [False, True])
def test_jacobians_are_those_of_torch(forward: bool) -> None:
    mode = "forward" if forward else "reverse"
    net = ml.Model()
    net |= ml.Linear(5)(input="x", output="h")
    net |= ml.Tanh()(input="h", output="y")
    model = ml.Jacobian(net, of="y", wrt=["x", "linear.weight"], mode=mode)
    x = X[0]
    compiled = compiled_of(model, {"x": x})
    params = params_of(compiled)
    outputs = compiled.evaluate(params, {"x": x})

    def function(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        return torch.tanh(x @ weight.T + torch.from_numpy(params["linear.bias"]))

    by_x, by_weight = torch.func.jacrev(function, (0, 1))(
        torch.from_numpy(x), torch.from_numpy(params["linear.weight"])
    )
    close(outputs["x.jacobian"], by_x)
    close(outputs["linear.weight.jacobian"], by_weight)


def test_hessians_are_those_of_torch() -> None:
    net = ml.Model()
    net |= ml.Linear(2)(input="x", output="h")
    net |= ml.Sigmoid()(input="h", output="s")
    net |= ml.Mean()(input="s", output="loss")
    keys = ["linear.weight", "linear.bias"]
    compiled = compiled_of(ml.Hessian(net, of="loss", wrt=keys), {"x": X[0]})
    params = params_of(compiled)
    outputs = compiled.evaluate(params, {"x": X[0]})

    def loss(weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        return torch.sigmoid(torch.from_numpy(X[0]) @ weight.T + bias).mean()

    expected = torch.func.hessian(loss, (0, 1))(*(torch.from_numpy(params[key]) for key in keys))
    for i, key in enumerate(keys):
        close(outputs[f"{key}.hessian"], expected[i][i])
        other = keys[1 - i]
        close(outputs[f"{key}.{other}.hessian"], expected[i][1 - i])


def test_a_hessian_of_connections() -> None:
    x = ml.IOKey("x", shape=[2, 2])
    model = ml.Model.create(h=ml.hessian((x * x * x).sum(), x), j=ml.jacobian(x * x, x))
    at = np.array([[1.0, 2.0], [3.0, 4.0]])
    outputs = compiled_of(model, {"x": at}).evaluate({}, {"x": at})
    close(outputs["h"].reshape(4, 4), np.diag(6 * at.flatten()))
    close(outputs["j"].reshape(4, 4), np.diag(2 * at.flatten()))


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: ml.vmap(network()), "ValueError", "no input has the new axis"),
        (lambda: ml.vmap(network(), in_axes={"z": 0}), "NameError", "no input matches"),
        (lambda: ml.vmap(network(), params=["linaer*"]), "NameError", "no parameter matches"),
        (lambda: ml.vmap(network(), {"x": 0}, {"z": 0}), "NameError", "no output matches"),
        (lambda: ml.vmap(network(), in_axes=["x"]), "TypeError", "a dict"),
        (lambda: ml.vmap(network(), in_axes=0), "TypeError", "a dict"),
        (
            lambda: ml.jacobian(ml.IOKey("x"), ml.IOKey("x"), "back"),
            "NameError",
            "mithril.NameError[E0634]: a Jacobian has no mode 'back'",
        ),
    ],
)
def test_wrong_calls_are_named(call: object, error: str, text: str) -> None:
    with pytest.raises(getattr(ml, error)) as raised:
        call()
    assert text in str(raised.value)


@pytest.mark.parametrize(
    ("argument", "value", "expected", "got"),
    [
        ("in_axes", {"x": True}, "an int as the axis of 'x'", "True   bool"),
        ("in_axes", {"x": "0"}, "an int as the axis of 'x'", "'0'   str"),
        ("in_axes", {3: 0}, "a name", "3   int"),
        ("out_axes", True, "a dict of names and axes, or an int", "True   bool"),
        ("out_axes", {"y": 0.0}, "an int as the axis of 'y'", "0.0   float"),
        ("params", 3, "a name or a pattern, or a list of them", "3   int"),
        ("params", ["*", 3], "a name or a pattern", "3   int"),
    ],
)
def test_an_argument_of_another_kind_is_named(
    argument: str, value: object, expected: str, got: str
) -> None:
    with pytest.raises(ml.TypeError) as raised:
        ml.vmap(network(), **{"in_axes": {"x": 0}, argument: value})
    assert str(raised.value) == (
        f"mithril.TypeError[E0395]: vmap: argument '{argument}' has the wrong kind\n"
        f"  expected : {expected}\n"
        f"  got      : {got}"
    )


def test_all_ops_without_a_rule_are_named() -> None:
    net = ml.Model()
    net |= ml.Unique(size=2)(input="x", output="u")
    x = np.ones((3, 4))
    with pytest.raises(ml.ValueError, match="unique: it has no batching rule") as raised:
        compiled_of(ml.vmap(net, in_axes={"x": 0}), {"x": x})
    assert raised.value.code == "E0427"


def test_sizes_that_differ_are_refused() -> None:
    net = ml.Model()
    net |= ml.Add()(left="a", right="b", output="y")
    model = ml.vmap(net, in_axes={"a": 0, "b": 0})
    with pytest.raises(ml.ShapeError):
        compiled_of(model, {"a": np.ones((3, 2)), "b": np.ones((4, 2))})
