"""Optimizers on parameters of half precision, against torch.optim."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mithril as ml

torch = pytest.importorskip("torch", reason="torch is not installed")

MAKERS: dict[str, tuple[Callable[[], ml.Optimizer], Callable[[Any], Any]]] = {
    "sgd": (lambda: ml.SGD(0.125), lambda p: torch.optim.SGD(p, 0.125)),
    "momentum": (
        lambda: ml.SGD(0.1, momentum=0.9, weight_decay=0.01),
        lambda p: torch.optim.SGD(p, 0.1, momentum=0.9, weight_decay=0.01),
    ),
    "adam": (lambda: ml.Adam(0.01), lambda p: torch.optim.Adam(p, 0.01)),
    "adamw": (lambda: ml.AdamW(0.01), lambda p: torch.optim.AdamW(p, 0.01)),
    "nadam": (lambda: ml.NAdam(0.01), lambda p: torch.optim.NAdam(p, 0.01)),
    "rmsprop": (
        lambda: ml.RMSprop(0.01, momentum=0.5, centered=True, eps=1e-3),
        lambda p: torch.optim.RMSprop(p, 0.01, momentum=0.5, centered=True, eps=1e-3),
    ),
    "adagrad": (
        lambda: ml.Adagrad(0.01, initial_accumulator_value=0.1),
        lambda p: torch.optim.Adagrad(p, 0.01, initial_accumulator_value=0.1),
    ),
}


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_parameters_move_as_those_of_torch_in_float32(name: str, dtype: Any) -> None:
    """Torch's optimizer moves a float32 copy, which is rounded after each step."""
    ours, theirs = MAKERS[name]
    optimizer = ours()
    generator = torch.Generator().manual_seed(3)
    start = torch.randn(257, generator=generator).to(dtype)
    params = {"w": start.clone()}
    single = start.float().requires_grad_()
    reference = theirs([single])
    for _ in range(10):
        gradient = torch.randn(257, generator=generator).to(dtype)
        optimizer.step(params, {"w": gradient})
        single.grad = gradient.float()
        reference.step()
        with torch.no_grad():
            single.copy_(single.to(dtype).float())
    unit = torch.finfo(dtype).eps * single.abs().clamp_min(torch.finfo(dtype).smallest_normal)
    assert torch.all((params["w"].float() - single).abs() <= unit)
    kept = optimizer.state_dict()
    assert {str(kept[key].dtype) for key in kept if key.startswith("w.exp")} <= {"float32"}


@pytest.mark.parametrize("dtype", [ml.float16, ml.bfloat16])
@pytest.mark.parametrize("name", MAKERS)
def test_a_training_step_moves_half_precision_parameters_as_the_optimizer_does(
    name: str, dtype: Any
) -> None:
    compiled = ml.compile(ml.Linear(3), ml.CpuBackend(dtype=dtype), shapes={"input": [8, 4]})
    data = {"input": np.linspace(-1, 1, 32, dtype=np.float32).reshape(8, 4)}
    gradients = {"output": np.linspace(0, 1, 24, dtype=np.float32).reshape(8, 3)}
    start = {key: ml.Tensor(value, dtype) for key, value in compiled.get_parameters().items()}
    together = {key: ml.Tensor(np.array(value), dtype) for key, value in start.items()}
    apart = {key: ml.Tensor(np.array(value), dtype) for key, value in start.items()}
    first, second = MAKERS[name][0](), MAKERS[name][0]()
    step = ml.TrainingStep(compiled, first, output_gradients=gradients)
    for _ in range(5):
        step(together, data)
        _, found = compiled.evaluate(apart, data, output_gradients=gradients)
        second.step(apart, found)
    # The gradients inside a step are not rounded on their way to the optimizer.
    tolerance = 5 * float(torch.finfo(getattr(torch, dtype.name)).eps)
    for key, value in start.items():
        got, expected = np.asarray(together[key]), np.asarray(apart[key])
        assert np.allclose(got, expected, rtol=tolerance, atol=tolerance)
        assert not np.array_equal(got, np.asarray(value))


def test_a_step_follows_the_options_that_are_loaded() -> None:
    compiled = ml.compile(ml.Linear(1), ml.CpuBackend(), shapes={"input": [1, 1]})
    ones = {"output": np.ones((1, 1), np.float32)}
    params = {"weight": np.ones((1, 1), np.float32), "bias": np.zeros(1, np.float32)}
    data = {"input": np.ones((1, 1), np.float32)}
    optimizer = ml.SGD(0.5)
    step = ml.TrainingStep(compiled, optimizer, output_gradients=ones)
    optimizer.load_state_dict(ml.SGD(0.25, weight_decay=1.0).state_dict())
    step(params, data)
    assert params["weight"].item() == 1 - 0.25 * (1 + 1)


def test_a_state_dict_resumes_with_the_learning_rate_of_now() -> None:
    optimizer = ml.Adam(lr=0.1, betas=(0.5, 0.75))
    optimizer.lr = 0.025
    saved = {key: np.asarray(value) for key, value in optimizer.state_dict().items()}
    resumed = ml.Adam()
    resumed.load_state_dict(saved)
    assert resumed.options == {"lr": 0.025, "betas": (0.5, 0.75), "eps": 1e-8, "weight_decay": 0.0}
