"""Products on TorchBackend: oneDNN's kernels where they are large, packed weights when bound."""

from collections.abc import Callable
from functools import partial

import pytest

import mithril as ml

torch = pytest.importorskip("torch", reason="torch is not installed")
F = torch.nn.functional

KERNEL = "mkldnn::_linear_pointwise"
# Torch's kernels round differently from each other.
CLOSE = {"rtol": 1e-5, "atol": 1e-5}
ACTIVATIONS = {
    "relu": (ml.Relu, F.relu),
    "sigmoid": (ml.Sigmoid, torch.sigmoid),
    "tanh": (ml.Tanh, torch.tanh),
    "gelu": (ml.Gelu, F.gelu),
    "gelu with tanh": (
        lambda: ml.Gelu(approximate=True),
        lambda x: F.gelu(x, approximate="tanh"),
    ),
    "softplus": (ml.Softplus, F.softplus),
}

pytestmark = pytest.mark.skipif(
    not torch.backends.mkldnn.is_available(), reason="this torch is built without oneDNN"
)


def ops_of(run: Callable[[], object]) -> list[str]:
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
        run()
    return [event.name for event in profile.events()]


def network(activation: Callable[[], ml.Model], width: int = 640) -> ml.CompiledModel:
    model = ml.Model()
    model |= ml.Linear(width)(input="x", weight="w", bias="b")
    model += activation()(output="y")
    shapes = {"x": ["N", "T", 256]}
    return ml.compile(model, ml.TorchBackend(), shapes=shapes, data_keys=["x"], inference=True)


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_bound_weights_are_packed_and_fused_with_the_activation(name):
    activation, function = ACTIVATIONS[name]
    compiled = network(activation)
    params = compiled.get_parameters()
    bound = compiled.bind(params)
    for rows in (7, 1, 0, 64):
        x = torch.randn(2, rows, 256)
        expected = function(F.linear(x, params["w"], params["b"]))
        torch.testing.assert_close(bound.evaluate({}, {"x": x})["y"], expected, **CLOSE)
    ops = ops_of(lambda: bound.evaluate({}, {"x": x}))
    assert KERNEL in ops
    assert ("aten::softplus" in ops) == (name == "softplus")
    assert not {"aten::relu", "aten::gelu", "aten::tanh", "aten::sigmoid"} & set(ops)


@pytest.mark.parametrize(("size", "product"), [(4, True), (16, False)])
def test_weight_gradients_of_small_images_are_computed_by_a_product(size, product):
    model = ml.Model()
    layer = ml.Conv2d(filters=64, kernel_size=3, stride=2, padding=1)
    model |= layer(input="x", weight="w", bias="b", output="y")
    compiled = ml.compile(
        model, ml.TorchBackend(), shapes={"x": [4, 32, size, size]}, data_keys=["x"]
    )
    params = compiled.get_parameters()
    x = torch.randn(4, 32, size, size)
    weight = params["w"].clone().requires_grad_()
    y = F.conv2d(x, weight, params["b"], 2, 1)
    incoming = torch.randn_like(y)
    y.backward(incoming)

    def gradients() -> dict:
        return compiled.evaluate(params, {"x": x}, output_gradients={"y": incoming})[1]

    torch.testing.assert_close(gradients()["w"], weight.grad, rtol=1e-4, atol=1e-4)
    assert (KERNEL in ops_of(gradients)) == product


def test_a_hooked_value_or_one_with_two_readers_is_not_fused():
    compiled = network(ml.Gelu)
    params = compiled.get_parameters()
    x = torch.randn(1, 5, 256)
    product = F.linear(x, params["w"], params["b"])
    bound = compiled.bind(params)
    seen = []
    bound.register_hook("linear.output", seen.append)
    torch.testing.assert_close(bound.evaluate({}, {"x": x})["y"], F.gelu(product), **CLOSE)
    torch.testing.assert_close(seen[0], product, **CLOSE)

    model = ml.Model()
    model |= ml.Linear(640)(input="x", weight="w", bias="b", output="h")
    model |= ml.Relu()(input="h", output="r")
    model |= ml.Tanh()(input="h", output="t")
    shapes = {"x": ["N", "T", 256]}
    twice = ml.compile(model, ml.TorchBackend(), shapes=shapes, data_keys=["x"], inference=True)
    outputs = twice.bind(params).evaluate({}, {"x": x})
    torch.testing.assert_close(outputs["r"], F.relu(product), **CLOSE)
    torch.testing.assert_close(outputs["t"], torch.tanh(product), **CLOSE)


def test_a_weight_of_two_layers_is_packed_for_neither():
    model = ml.Model()
    model |= ml.Linear(256)(input="x", weight="w", bias="b", output="h")
    model |= ml.Linear(256)(input="h", weight="w", bias="b", output="y")
    compiled = ml.compile(
        model, ml.TorchBackend(), shapes={"x": ["N", 256]}, data_keys=["x"], inference=True
    )
    params = compiled.get_parameters()
    x = torch.randn(3, 256)
    expected = F.linear(F.linear(x, *params.values()), *params.values())
    torch.testing.assert_close(compiled.bind(params).evaluate({}, {"x": x})["y"], expected, **CLOSE)


def test_large_products_train_on_the_same_kernels():
    model = ml.Model()
    model |= ml.Linear(256)(input="x", weight="w", bias="b", output="y")
    compiled = ml.compile(model, ml.TorchBackend(), shapes={"x": ["N", 512]}, trainable_keys=["x"])
    weight, bias = torch.randn(256, 512), torch.randn(256)
    for rows, kernels in ((4, 0), (256, 3)):
        params = {"x": torch.randn(rows, 512), "w": weight, "b": bias}
        given = {"y": torch.randn(rows, 256)}
        leaves = {key: tensor.clone().requires_grad_() for key, tensor in params.items()}
        product = F.linear(leaves["x"], leaves["w"], leaves["b"])
        expected = torch.autograd.grad(product, list(leaves.values()), given["y"])
        _, gradients = compiled.evaluate(params, {}, given)
        for key, gradient in zip(leaves, expected, strict=True):
            torch.testing.assert_close(gradients[key], gradient, rtol=1e-4, atol=1e-4)
        ops = ops_of(partial(compiled.evaluate, params, {}, given))
        assert ops.count(KERNEL) == kernels


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"stride": 2, "padding": 1},
        {"dilation": 2, "groups": 4},
        {"padding": ((0, 2), (1, 1)), "stride": (1, 2)},
        {"use_bias": False},
    ],
    ids=str,
)
def test_bound_convolutions_are_packed(options):
    model = ml.Model()
    model |= ml.Conv2d(filters=8, kernel_size=3, **options)(input="x", output="c")
    model |= ml.Relu()(input="c", output="y")
    model.expose_keys("y")
    shapes = {"x": ["N", 4, 9, 8]}
    compiled = ml.compile(model, ml.TorchBackend(), shapes=shapes, data_keys=["x"], inference=True)
    params = compiled.get_parameters()
    bound = compiled.bind(params)
    for samples in (3, 0, 1):
        x = torch.randn(samples, 4, 9, 8)
        expected = compiled.evaluate(params, {"x": x})["y"]
        torch.testing.assert_close(bound.evaluate({}, {"x": x})["y"], expected, **CLOSE)
    ops = ops_of(lambda: bound.evaluate({}, {"x": x}))
    assert "mkldnn::_convolution_pointwise" in ops
    assert "aten::relu" not in ops


def block(kind: str) -> ml.Model:
    """A sum of two products of x, one of them with a Relu, and a Relu at the end."""
    make = {
        "linear": lambda: ml.Linear(512),
        "conv": lambda: ml.Conv2d(filters=4, kernel_size=3, padding=1),
    }[kind]
    model = ml.Model()
    model |= make()(input="x", output="a")
    model |= ml.Relu()(input="a", output="r")
    model |= make()(input="r", output="b")
    model |= make()(input="x", output="c")
    model |= ml.Add()(left="c", right="b", output="s")
    model |= ml.Add()(left="x", right="s", output="t")
    model |= ml.Relu()(input="t", output="y")
    model.expose_keys("y")
    return model


@pytest.mark.parametrize(("kind", "dims"), [("linear", [3, 512]), ("conv", [2, 4, 5, 6])])
def test_a_sum_is_fused_with_one_of_its_terms(kind, dims):
    compiled = ml.compile(
        block(kind), ml.TorchBackend(), shapes={"x": dims}, data_keys=["x"], inference=True
    )
    params = compiled.get_parameters()
    x = torch.randn(dims)
    before = x.clone()
    bound = compiled.bind(params)
    expected = compiled.evaluate(params, {"x": x})["y"]
    torch.testing.assert_close(bound.evaluate({}, {"x": x})["y"], expected, **CLOSE)
    assert torch.equal(x, before)
    assert ops_of(lambda: bound.evaluate({}, {"x": x})).count("aten::add") == 1


def test_a_sum_that_broadcasts_is_not_fused():
    model = ml.Model()
    model |= ml.Linear(512)(input="x", output="a")
    model |= ml.Add()(left="a", right="z", output="y")
    compiled = ml.compile(
        model,
        ml.TorchBackend(),
        shapes={"x": ["N", 512], "z": ["M", 512]},
        data_keys=["x", "z"],
        inference=True,
    )
    bound = compiled.bind(compiled.get_parameters())
    for n, m in ((1, 3), (3, 1), (3, 3)):
        data = {"x": torch.randn(n, 512), "z": torch.randn(m, 512)}
        expected = compiled.evaluate(compiled.get_parameters(), data)["y"]
        torch.testing.assert_close(bound.evaluate({}, data)["y"], expected, **CLOSE)


@pytest.mark.parametrize("backend", [ml.TorchBackend, ml.CpuBackend])
def test_batch_norms_go_into_the_weights_before_them(backend):
    model = ml.Model()
    model |= ml.Conv2d(filters=4, kernel_size=3)(input="x", output="c")
    model |= ml.BatchNorm2D(name="norm")(input="c")
    model += ml.Relu()(output="y")
    model.expose_keys("y")
    compiled = ml.compile(
        model,
        backend(),
        shapes={"x": ["N", 3, 6, 6]},
        data_keys=["x"],
    )
    state = {"norm.running_mean": torch.rand(4), "norm.running_var": 0.5 + torch.rand(4)}
    shapes = {key: tensor.shape for key, tensor in compiled.get_parameters().items()}
    params = {key: 0.5 + torch.rand(shape) for key, shape in shapes.items()}
    x = torch.randn(2, 3, 6, 6)
    bound = compiled.bind(params, state)
    expected = torch.as_tensor(compiled.infer(params, {"x": x}, state)["y"])
    got = torch.as_tensor(bound.evaluate({}, {"x": x})["y"])
    torch.testing.assert_close(got, expected, **CLOSE)
    ops = ops_of(lambda: bound.evaluate({}, {"x": x}))
    assert not {"aten::native_batch_norm", "aten::relu"} & set(ops)
