"""Ops that a user adds by functions, on the torch backend."""

from typing import Any

import numpy as np
import pytest
from test_user_ops import evaluated, fresh

import mithril as ml

torch = pytest.importorskip("torch", reason="torch is not installed")


def smooth() -> type[ml.Model]:
    """An op of tensors of torch, whose gradient is that of torch's autograd."""
    arguments: list[Any] = []

    def function(x: Any, scale: Any) -> Any:
        arguments.append(x)
        return torch.nn.functional.softplus(x) * scale, x.sum(1)

    def gradient(x: Any, scale: Any, smooth_grad: Any, sums_grad: Any) -> Any:
        arguments.append(x)
        with torch.enable_grad():
            x.requires_grad_()
            scale.requires_grad_()
            made = function(x, scale)
        return torch.autograd.grad(made, (x, scale), (smooth_grad, sums_grad))

    op = ml.add_op(
        fresh("smooth"),
        inputs={"x": "N D", "scale": ""},
        outputs={"smooth": "N D", "sums": "N"},
        function=function,
        gradient=gradient,
    )
    op.arguments = arguments  # type: ignore[attr-defined]
    return op


def test_functions_take_tensors_of_torch_on_its_backend() -> None:
    op = smooth()
    model = ml.Model()
    model |= op()(x="x", scale="scale", smooth="smooth", sums="sums")
    compiled = ml.compile(
        model,
        ml.TorchBackend(dtype=ml.float64, requires_grad=True),
        shapes={"x": ["N", 3]},
        trainable_keys={"x", "scale"},
    )
    random = torch.Generator().manual_seed(0)
    x = torch.randn(4, 3, generator=random, dtype=torch.float64)
    scale = torch.tensor(1.5, dtype=torch.float64)
    grads = {
        "smooth": torch.randn(4, 3, generator=random, dtype=torch.float64),
        "sums": torch.randn(4, generator=random, dtype=torch.float64),
    }
    expected = [tensor.clone().requires_grad_() for tensor in (x, scale)]
    made = (torch.nn.functional.softplus(expected[0]) * expected[1], expected[0].sum(1))
    torch.autograd.backward(made, list(grads.values()))

    # The gradients that Mithril returns.
    outputs, gradients = compiled.evaluate({"x": x, "scale": scale}, {}, output_gradients=grads)
    torch.testing.assert_close(list(outputs.values()), [result.detach() for result in made])
    torch.testing.assert_close(gradients["x"], expected[0].grad)
    torch.testing.assert_close(gradients["scale"], expected[1].grad)
    arguments = op.arguments  # type: ignore[attr-defined]
    assert all(isinstance(argument, torch.Tensor) for argument in arguments)
    arguments[0].zero_()  # the function owns its arguments
    assert x.all()

    # Torch's autograd through the model.
    leaves = [tensor.clone().requires_grad_() for tensor in (x, scale)]
    outputs = compiled.evaluate({"x": leaves[0] * 1.0, "scale": leaves[1]}, {})
    torch.autograd.backward([outputs["smooth"], outputs["sums"]], list(grads.values()))
    torch.testing.assert_close([leaf.grad for leaf in leaves], [tensor.grad for tensor in expected])


def test_a_function_may_return_numpy_arrays_on_the_torch_backend() -> None:
    assert evaluated(lambda x: np.asarray(x) + 1, ml.TorchBackend()).tolist() == [[2.0] * 3] * 2


def test_a_tensor_of_another_dtype_is_converted() -> None:
    made = evaluated(lambda x: x.double() * 2, ml.TorchBackend())
    assert made.dtype == torch.float32
    assert made.tolist() == [[2.0] * 3] * 2
