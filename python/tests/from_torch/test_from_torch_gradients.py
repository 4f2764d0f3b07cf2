"""Errors and warnings of `ml.from_torch` about gradients that torch.export does not show."""

import threading

import numpy as np
import pytest

import mithril as ml

torch = pytest.importorskip("torch", reason="torch is not installed")
pytest.importorskip("mithril._torch", reason="torch is not built")

nn = torch.nn
X = torch.tensor([[1.0, -2.0, 0.5], [0.3, 0.7, -1.1]], dtype=torch.float64)


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
    with pytest.warns(UserWarning) as caught:
        ml.from_torch(module, X)
    (warning,) = caught
    assert str(warning.message).startswith(
        "from_torch: the model has no hooks on gradients, unlike the module: of 'layer', at "
    )
    assert str(warning.message).endswith("y.register_hook(lambda gradient: 2 * gradient)")
    assert warning.filename == __file__
