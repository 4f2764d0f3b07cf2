"""Options of training steps: clipping."""

from typing import Any

import numpy as np
import pytest
import torch

import mithril as ml

Arrays = dict[str, Any]
BACKENDS: dict[str, Any] = {
    "cpu": lambda **options: ml.CpuBackend(**options),
    "reference": lambda **options: ml.CpuBackend(reference=True, **options),
    "torch": lambda **options: ml.TorchBackend(**options),
}


def network(backend: Any) -> ml.CompiledModel:
    """Two layers with batch norm, whose loss is a mean."""
    model = ml.Model()
    model |= ml.Linear(8)(input="x", output="hidden")
    model += ml.BatchNorm1D()
    model += ml.Relu()
    model += ml.Linear(3)(output="scores")
    model |= ml.SquaredError()(input="scores", target="y", output="errors")
    model |= ml.Mean()(input="errors", output="loss")
    return ml.compile(model, backend, shapes={"x": [None, 6]}, data_keys={"x", "y"})


def batch(backend: Any, rows: int = 12, seed: int = 0) -> Arrays:
    numbers = np.random.default_rng(seed)
    made = {"x": numbers.standard_normal((rows, 6)), "y": 9 * numbers.standard_normal((rows, 3))}
    return {key: backend.array(value) for key, value in made.items()}


LOSS = {"loss": 1.0}


def copied(params: Arrays) -> dict[str, np.ndarray[Any, Any]]:
    return {key: np.array(np.asarray(value)) for key, value in params.items()}


def check_close(reached: Arrays, expected: Arrays, tolerance: float) -> None:
    for key, value in copied(expected).items():
        error = np.abs(copied(reached)[key] - value).max()
        assert error <= tolerance * np.abs(value).max(), key


CLIPS: dict[str, Any] = {
    "norm": ({"max_norm": 0.5}, lambda ps: torch.nn.utils.clip_grad_norm_(ps, 0.5)),
    "large norm": ({"max_norm": 1e4}, lambda ps: torch.nn.utils.clip_grad_norm_(ps, 1e4)),
    "value": ({"max_value": 0.1}, lambda ps: torch.nn.utils.clip_grad_value_(ps, 0.1)),
    "both": (
        {"max_norm": 0.5, "max_value": 0.1},
        lambda ps: (
            torch.nn.utils.clip_grad_value_(ps, 0.1),
            torch.nn.utils.clip_grad_norm_(ps, 0.5),
        ),
    ),
}


@pytest.mark.parametrize("clip", CLIPS)
@pytest.mark.parametrize("dtype", [ml.float32, ml.float64], ids=str)
@pytest.mark.parametrize("kind", BACKENDS)
def test_gradients_are_clipped_as_torch_does(kind: str, dtype: ml.dtype, clip: str) -> None:
    options, clipped = CLIPS[clip]
    backend = BACKENDS[kind](dtype=dtype)
    model, data = network(backend), batch(backend)
    params = model.get_parameters()
    optimizer = ml.SGD(0.5, momentum=0.9)
    step = ml.TrainingStep(model, optimizer, output_gradients=LOSS, **options)
    tensors = {
        key: torch.nn.Parameter(torch.tensor(value)) for key, value in copied(params).items()
    }
    expected = torch.optim.SGD(tensors.values(), lr=0.5, momentum=0.9)
    for _ in range(3):
        now = {key: backend.array(value.detach().numpy()) for key, value in tensors.items()}
        _, gradients, _ = model.evaluate(now, data, output_gradients=LOSS, state=step.state)
        for key, gradient in copied(gradients).items():
            tensors[key].grad = torch.tensor(gradient)
        clipped(tensors.values())
        expected.step()
        step(params, data)
    tolerance = 1e-5 if dtype == ml.float32 else 1e-12
    check_close(params, {key: value.detach() for key, value in tensors.items()}, tolerance)


def test_mixed_precision_is_clipped() -> None:
    backend = ml.TorchBackend(use_amp=True)
    model, data = network(backend), batch(backend)
    params = model.get_parameters()
    before = copied(params)
    ml.TrainingStep(model, ml.SGD(1.0), output_gradients=LOSS, max_norm=0.25)(params, data)
    moved = [copied(params)[key] - value for key, value in before.items()]
    assert np.sqrt(sum((each**2).sum() for each in moved)) == pytest.approx(0.25, rel=1e-4)


def test_options_out_of_range_are_refused() -> None:
    model = network(ml.CpuBackend())
    with pytest.raises(ml.ValueError) as caught:
        ml.TrainingStep(model, ml.SGD(), output_gradients=LOSS, max_norm=0)
    assert str(caught.value) == (
        "mithril.ValueError[E0406]: training step: max_norm is 0, expected above 0"
    )
