"""Products on TorchBackend: oneDNN's kernels where they are large, packed weights when bound."""

from collections.abc import Callable
from functools import partial

import pytest

import mithril as ml

torch = pytest.importorskip("torch")
F = torch.nn.functional

KERNEL = "mkldnn::_linear_pointwise"
# As torch's own kernels round otherwise than each other.
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
def test_bound_weights_are_packed_and_take_the_activation_along(name):
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


def test_what_is_hooked_or_read_twice_is_not_taken_along():
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
