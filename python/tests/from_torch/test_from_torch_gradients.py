"""What `ml.from_torch` keeps of a module beside the operators of forward: frozen parameters, and
errors and warnings about gradients that torch.export does not show."""

import threading
from typing import Any

import numpy as np
import pytest

import mithril as ml

torch = pytest.importorskip("torch", reason="torch is not installed")
pytest.importorskip("mithril._torch", reason="torch is not built")

nn = torch.nn
X = torch.tensor([[1.0, -2.0, 0.5], [0.3, 0.7, -1.1]], dtype=torch.float64)
TRAINED = ["norm.bias", "head.weight", "head.bias"]
FROZEN = ["encoder.weight", "encoder.bias", "norm.weight"]


class Tuned(nn.Module):
    """A network whose first layer, and a part of the second, are frozen."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder, self.norm, self.head = nn.Linear(3, 4), nn.LayerNorm(4), nn.Linear(4, 2)
        self.encoder.requires_grad_(False)
        self.norm.weight.requires_grad_(False)
        self.double()

    def forward(self, x):
        return self.head(self.norm(self.encoder(x).relu()))


BACKENDS: dict[str, Any] = {
    "cpu": lambda: ml.CpuBackend(dtype=ml.float64),
    "torch": lambda: ml.TorchBackend(dtype=ml.float64),
}


def converted(module: "nn.Module", *inputs: Any) -> tuple[ml.Model, dict[str, Any]]:
    with pytest.warns(UserWarning, match="stay frozen"):
        return ml.from_torch(module, inputs)


@pytest.mark.parametrize("backend", BACKENDS)
def test_frozen_parameters_have_no_gradients(backend: str) -> None:
    module = Tuned()
    model, params = converted(module, X)
    assert list(params) == [name for name, _ in module.named_parameters()]
    assert all(params[name] is value for name, value in module.named_parameters())
    compiled = ml.compile(model, BACKENDS[backend]())
    assert compiled.frozen_keys == FROZEN
    assert compiled.data_keys == ["x"]
    assert list(compiled.get_parameters()) == compiled.parameter_keys == list(params)
    upstream = torch.ones(2, 2, dtype=torch.float64)
    outputs, gradients = compiled.evaluate(params, {"x": X}, output_gradients={"output": upstream})
    expected = module(X)
    expected.backward(upstream)
    assert torch.allclose(torch.as_tensor(outputs["output"]), expected)
    assert list(gradients) == TRAINED
    for name, gradient in gradients.items():
        assert torch.allclose(torch.as_tensor(gradient), module.get_parameter(name).grad), name


OPTIMIZERS = [ml.Adagrad, ml.Adam, ml.AdamW, ml.Lion, ml.NAdam, ml.RMSprop, ml.SGD]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_optimizers_leave_frozen_parameters_as_they_are(optimizer: Any, backend: str) -> None:
    """The converted model is a part of the model that is trained."""
    model, initial = converted(Tuned(), X)
    train = ml.Model()
    train |= model(x="x", output="y")
    train |= ml.Mean()(input=train["y"] * train["y"], output="loss")
    here = BACKENDS[backend]()
    compiled = ml.compile(train, here, data_keys={"x"}, outputs="loss")
    keys = dict(zip(compiled.parameter_keys, initial, strict=True))
    assert [keys[key] for key in compiled.frozen_keys] == FROZEN
    before = {key: np.array(initial[name].detach()) for key, name in keys.items()}
    stepped = {key: here.array(value.copy()) for key, value in before.items()}
    trained = {key: here.array(value.copy()) for key, value in before.items()}
    data = {"x": here.array(X.numpy())}
    step = ml.TrainingStep(compiled, optimizer(0.1, weight_decay=0.1))
    own = optimizer(0.1, weight_decay=0.1)
    for _ in range(3):
        step(trained, data)
        _, gradients = compiled.evaluate(stepped, data, output_gradients=True)
        own.step(stepped, gradients)
    for params in (trained, stepped):
        for key, value in before.items():
            same = np.array_equal(np.asarray(params[key]), value)
            assert same == (keys[key] in FROZEN), key


def test_a_model_in_json_keeps_its_frozen_parameters() -> None:
    model, _ = converted(Tuned(), X)
    read = ml.Model.from_json(model.to_json())
    assert read == model
    assert ml.compile(read, ml.CpuBackend()).frozen_keys == FROZEN


def test_a_frozen_parameter_can_be_trained_again() -> None:
    model, params = converted(Tuned(), X)
    model.set_differentiability({"encoder.bias": True})
    compiled = ml.compile(model, ml.CpuBackend(dtype=ml.float64))
    assert compiled.frozen_keys == ["encoder.weight", "norm.weight"]
    upstream = np.ones((2, 2))
    _, gradients = compiled.evaluate(params, {"x": X}, output_gradients={"output": upstream})
    assert list(gradients) == ["encoder.bias", *TRAINED]


def test_a_module_of_the_model_has_the_same_frozen_parameters() -> None:
    module = Tuned()
    model, params = converted(module, X)
    ours = ml.as_torch_module(ml.compile(model, ml.TorchBackend(dtype=torch.float64)), params)
    assert {name: value.requires_grad for name, value in ours.named_parameters()} == {
        name: value.requires_grad for name, value in module.named_parameters()
    }
    in_float32 = ml.as_torch_module(ml.compile(model, ml.TorchBackend()), params)
    assert [name for name, value in in_float32.named_parameters() if value.requires_grad] == TRAINED


def test_a_program_has_the_frozen_parameters_of_its_module() -> None:
    with pytest.warns(UserWarning, match="stay frozen"):
        model, params = ml.from_torch(torch.export.export(Tuned(), (X,)))
    compiled = ml.compile(model, ml.CpuBackend(dtype=ml.float64))
    assert compiled.frozen_keys == FROZEN
    assert [name for name, value in params.items() if value.requires_grad] == TRAINED


def test_a_module_without_trained_parameters_is_converted() -> None:
    module = Tuned().requires_grad_(False)
    model, params = converted(module, X)
    compiled = ml.compile(model, ml.CpuBackend(dtype=ml.float64))
    assert compiled.frozen_keys == compiled.parameter_keys == list(params)
    bound = compiled.bind(params)
    assert torch.allclose(torch.as_tensor(bound.evaluate({}, {"x": X})["output"]), module(X))
    x, upstream = X.clone().requires_grad_(), np.ones((2, 2))
    _, gradients = compiled.evaluate(
        params, {"x": X}, output_gradients={"output": upstream}, gradient_keys=["x"]
    )
    module(x).sum().backward()
    assert torch.allclose(torch.as_tensor(gradients["x"]), x.grad)


def test_the_warning_lists_the_frozen_parameters() -> None:
    with pytest.warns(UserWarning) as caught:
        ml.from_torch(Tuned(), X)
    assert [(str(each.message), each.filename) for each in caught] == [
        (
            "from_torch: encoder.weight, encoder.bias, norm.weight stay frozen, without "
            "requires_grad; model.set_differentiability({key: True}) before compile trains a "
            "parameter",
            __file__,
        )
    ]
    deep = nn.Sequential(*(nn.Linear(3, 3) for _ in range(6))).requires_grad_(False)
    with pytest.warns(UserWarning, match=r"4\.weight, 4\.bias and 2 more stay frozen"):
        ml.from_torch(deep, X.float())


def test_a_parameter_of_ints_is_state() -> None:
    class Chosen(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.scale = nn.Parameter(torch.tensor([2.0, 3.0, 5.0], dtype=torch.float64))
            self.order = nn.Parameter(torch.tensor([2, 0, 1]), requires_grad=False)

        def forward(self, x):
            return (x * self.scale)[:, self.order]

    module = Chosen()
    model, params = ml.from_torch(module, X)
    assert list(params) == ["scale"]
    compiled = ml.compile(model, ml.CpuBackend(dtype=ml.float64))
    result = compiled.evaluate(params, {"x": X})["output"]
    assert torch.equal(torch.as_tensor(result), module(X).detach())
    ours = ml.as_torch_module(ml.compile(model, ml.TorchBackend(dtype=torch.float64)), params)
    assert torch.equal(ours(X), module(X))
    assert ours.state_dict().keys() == module.state_dict().keys()


class Round(torch.autograd.Function):
    """Rounds; the gradient passes straight through."""

    @staticmethod
    def forward(ctx, x):
        return x.round()

    @staticmethod
    def backward(ctx, gradient):
        return gradient


class Reversed(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return x.view_as(x)

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass

    @staticmethod
    def backward(ctx, gradient):
        return -gradient


class Gelu(torch.autograd.Function):
    """The backward is the derivative, as in BLOOM of transformers."""

    @staticmethod
    def forward(ctx, x, scale):
        ctx.save_for_backward(x)
        ctx.scale = scale
        return scale * x * 0.5 * (1 + torch.tanh(0.79788456 * x * (1 + 0.044715 * x * x)))

    @staticmethod
    def backward(ctx, gradient):
        (x,) = ctx.saved_tensors
        y = torch.tanh(0.79788456 * x * (1 + 0.044715 * x * x))
        slope = 0.5 * x * ((1 - y * y) * (0.79788456 + 0.1070322243 * x * x)) + 0.5 * (1 + y)
        return ctx.scale * slope * gradient, None


class Clamped(torch.autograd.Function):
    """The backward is the derivative where no element is clamped."""

    @staticmethod
    def forward(ctx, x):
        return x.clamp(-50, 50)

    @staticmethod
    def backward(ctx, gradient):
        return gradient


class Wrapped(Round):
    """The forward applies a function, whose backward torch does not call."""

    @staticmethod
    def forward(ctx, x):
        return rounded(x)


rounded = Round.apply  # as forwards call it, too


def test_a_function_of_autograd_is_refused_by_its_name() -> None:
    class Rounding(nn.Module):
        def forward(self, x):
            return rounded(3 * x) + Round.apply(x)

    with torch.no_grad(), pytest.raises(ml.ValueError, match="E0425"):
        ml.from_torch(Rounding(), X)
    with pytest.raises(ml.ValueError) as caught:
        ml.from_torch(Rounding(), X)
    text = str(caught.value)
    assert text.startswith(
        "mithril.ValueError[E0425]: forward of Rounding calls Round: torch.export does not show "
        "the backward of a torch.autograd.Function\n  Round : "
    )
    assert "test_from_torch_gradients.py" in text
    assert "return rounded(3 * x) + Round.apply(x)\n" in text
    assert text.endswith(
        "help: write a gradient that passes straight through as x + (f(x) - x).detach(); compose "
        "other functions in Mithril, as ops of ml.add_op(..., gradient=...)"
    )


def test_a_function_whose_backward_is_the_derivative_is_converted() -> None:
    class Activated(nn.Module):
        def forward(self, x):
            return Gelu.apply(x, 2.0) + Gelu.apply(x.T, 3.0).T

    model, _ = ml.from_torch(Activated(), X, {"x": ["N", None]})
    compiled = ml.compile(model, ml.CpuBackend(dtype=ml.float64), trainable_keys=["x"])
    outputs, gradients = compiled.evaluate(
        {"x": X}, {}, output_gradients={"output": np.ones((2, 3))}
    )
    x = X.clone().requires_grad_()
    expected = Activated()(x)
    expected.sum().backward()
    assert torch.allclose(torch.as_tensor(outputs["output"]), expected)
    assert torch.allclose(torch.as_tensor(gradients["x"]), x.grad, 1e-6, 1e-6)


def test_all_functions_of_autograd_are_listed() -> None:
    class All(nn.Module):
        def forward(self, x):
            x = Reversed.apply(rounded(Gelu.apply(x, 1.0)))
            return Wrapped.apply(Clamped.apply(x))

    names = "Round, Reversed, Clamped, Wrapped"
    with pytest.raises(ml.ValueError, match=f"forward of All calls {names}:"):
        ml.from_torch(All(), X)
    assert "apply" not in vars(torch.autograd.function._SingleLevelFunction)
    assert Reversed.apply(X.clone().requires_grad_()).requires_grad


def test_a_function_of_autograd_without_gradients_is_converted() -> None:
    class Scaled(nn.Module):
        def forward(self, x):
            with torch.no_grad():
                scale = rounded(x)
            return x * scale

    model, params = ml.from_torch(Scaled(), X)
    compiled = ml.compile(model, ml.CpuBackend(dtype=ml.float64), trainable_keys=["x"])
    outputs, gradients = compiled.evaluate(
        {"x": X}, {}, output_gradients={"output": np.ones((2, 3))}
    )
    assert torch.equal(torch.as_tensor(outputs["output"]), X * X.round())
    assert torch.equal(torch.as_tensor(gradients["x"]), X.round())
    assert params == {}


def test_other_threads_may_apply_functions() -> None:
    class Waiting(nn.Module):
        def forward(self, x):
            other = threading.Thread(target=rounded, args=(X.clone().requires_grad_(),))
            other.start()
            other.join()
            return 2 * x

    ml.from_torch(Waiting(), X)


def test_the_ways_out_of_the_error_have_the_gradient_of_the_function() -> None:
    x = X.clone().requires_grad_()
    (3 * rounded(x)).sum().backward()

    class Detached(nn.Module):
        def forward(self, x):
            return 3 * (x + (x.round() - x).detach())

    model, _ = ml.from_torch(Detached(), X)
    straight = ml.add_op(
        "round_straight_through",
        inputs={"x": "*s"},
        function=lambda x: x.round(),
        gradient=lambda x, gradient: gradient,
    )
    composed = ml.Model()
    composed |= straight()(x="x", output="rounded")
    composed.expose_keys(output=3.0 * composed["rounded"])
    for each in (model, composed):
        compiled = ml.compile(each, ml.CpuBackend(dtype=ml.float64), trainable_keys=["x"])
        outputs, gradients = compiled.evaluate(
            {"x": X}, {}, output_gradients={"output": np.ones((2, 3))}
        )
        assert torch.allclose(torch.as_tensor(outputs["output"]), 3 * X.round())
        assert torch.equal(torch.as_tensor(gradients["x"]), x.grad)


def test_checkpoints_of_torch_are_converted() -> None:
    class Checkpointed(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.Linear(3, 3).double()

        def forward(self, x):
            return torch.utils.checkpoint.checkpoint(self.layer, x, use_reentrant=True)

    module = Checkpointed()
    model, params = ml.from_torch(module, X)
    compiled = ml.compile(model, ml.CpuBackend(dtype=ml.float64))
    result = torch.as_tensor(compiled.evaluate(params, {"x": X})["output"])
    assert torch.allclose(result, module(X))


def test_hooks_on_gradients_are_warned_of() -> None:
    class Hooked(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.Linear(3, 3).double()

        def forward(self, x):
            y = self.layer(x)
            y.register_hook(lambda gradient: 2 * gradient)
            return y

    module = Hooked()
    module.layer.register_full_backward_hook(lambda module, inputs, outputs: None)
    module.layer.weight.register_hook(lambda gradient: 0 * gradient)
    module.layer.bias.register_post_accumulate_grad_hook(lambda parameter: None)
    with pytest.warns(UserWarning) as caught:
        ml.from_torch(module, X)
    (warning,) = caught
    assert str(warning.message).startswith(
        "from_torch: the model has no hooks on gradients, unlike the module: of 'layer', of "
        "'layer.weight', of 'layer.bias', at "
    )
    assert str(warning.message).endswith("y.register_hook(lambda gradient: 2 * gradient)")
    assert warning.filename == __file__
