"""Options of training steps and groups of parameters, beside torch."""

import copy
import pickle
from typing import Any

import numpy as np
import pytest
import torch

import mithril as ml

Arrays = dict[str, Any]
BACKENDS: dict[str, Any] = {
    "cpu": ml.CpuBackend,
    "reference": lambda **options: ml.CpuBackend(reference=True, **options),
    "torch": ml.TorchBackend,
}


def network(backend: Any, norm: bool = True) -> ml.CompiledModel:
    """Two layers with batch norm, whose loss is a mean."""
    model = ml.Model()
    model |= ml.Linear(8)(input="x", output="hidden")
    if norm:
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
    assert np.sqrt(sum((difference**2).sum() for difference in moved)) == pytest.approx(
        0.25, rel=1e-4
    )


def test_options_out_of_range_are_refused() -> None:
    model = network(ml.CpuBackend())
    with pytest.raises(ml.ValueError) as caught:
        ml.TrainingStep(model, ml.SGD(), output_gradients=LOSS, max_norm=0)
    assert str(caught.value) == (
        "mithril.ValueError[E0406]: training step: max_norm is 0, expected above 0"
    )
    for options in ({"accumulate": 0}, {"max_value": -1.0}):
        with pytest.raises(ml.ValueError, match="E0406"):
            ml.TrainingStep(model, ml.SGD(), output_gradients=LOSS, **options)
    with pytest.raises(ml.ValueError, match="training step: decay is 1, expected at least 0"):
        ml.EMA(1)
    with pytest.raises(ml.ValueError, match="training step: every is 0, expected at least 1"):
        ml.SWA(every=0)
    with pytest.raises(ml.StateError, match="E0911"):
        ml.TrainingStep(model, ml.SGD(), output_gradients=LOSS).averages({})


@pytest.mark.parametrize("dtype", [ml.float32, ml.float64], ids=str)
@pytest.mark.parametrize("kind", BACKENDS)
def test_micro_steps_make_the_step_of_their_whole_batch(kind: str, dtype: ml.dtype) -> None:
    backend = BACKENDS[kind](dtype=dtype)
    model = network(backend, norm=False)
    whole = model.get_parameters()
    params = {key: backend.array(value) for key, value in copied(whole).items()}
    step_of_whole = ml.TrainingStep(model, ml.SGD(0.1), output_gradients=LOSS, max_norm=0.5)
    step = ml.TrainingStep(model, ml.SGD(0.1), output_gradients=LOSS, max_norm=0.5, accumulate=4)
    for update in range(3):
        data = batch(backend, 12, update)
        step_of_whole(whole, data)
        for part in range(4):
            step(params, {key: value[3 * part : 3 * part + 3] for key, value in data.items()})
    check_close(params, whole, 1e-5 if dtype == ml.float32 else 1e-12)


@pytest.mark.parametrize("kind", BACKENDS)
def test_averages_are_those_of_torch(kind: str) -> None:
    backend = BACKENDS[kind](dtype=ml.float64)
    model, data = network(backend), batch(backend)
    for average, theirs in (
        (ml.EMA(0.75), torch.optim.swa_utils.get_ema_avg_fn(0.75)),
        (ml.SWA(), torch.optim.swa_utils.get_swa_avg_fn()),
    ):
        params = model.get_parameters()
        step = ml.TrainingStep(model, ml.Adam(0.1), output_gradients=LOSS, average=average)
        twin = torch.nn.ParameterDict(
            {key.replace(".", "_"): torch.tensor(value) for key, value in copied(params).items()}
        )
        averaged = torch.optim.swa_utils.AveragedModel(twin, avg_fn=theirs)
        check_close(step.averages(params), params, 0)
        for _ in range(4):
            step(params, data)
            for key, value in copied(params).items():
                twin[key.replace(".", "_")].data = torch.tensor(value)
            averaged.update_parameters(twin)
        means = step.averages(params)
        expected = dict(averaged.module.items())
        check_close(means, {key: expected[key.replace(".", "_")].detach() for key in params}, 1e-12)
        outputs = model.infer(means, data, step.state, outputs=["loss"])
        again = model.infer(params, data, step.state, outputs=["loss"])
        assert float(outputs["loss"]) != float(again["loss"])


@pytest.mark.parametrize("kind", BACKENDS)
def test_groups_are_those_of_torch(kind: str) -> None:
    backend = BACKENDS[kind](dtype=ml.float64)
    model, data = network(backend, norm=False), batch(backend)
    params = model.get_parameters()
    before = copied(params)
    groups = [
        ml.ParameterGroup("linear.weight", frozen=True),
        ml.ParameterGroup("*.bias", weight_decay=0.0, lr_factor=0.5),
    ]
    optimizer = ml.AdamW(0.1, weight_decay=0.25, groups=groups)
    step = ml.TrainingStep(model, optimizer, output_gradients=LOSS, max_norm=0.5)
    tensors = {key: torch.nn.Parameter(torch.tensor(value)) for key, value in before.items()}
    biases = [value for key, value in tensors.items() if key.endswith(".bias")]
    expected = torch.optim.AdamW(
        [
            {"params": [tensors["linear_1.weight"]]},
            {"params": biases, "weight_decay": 0, "lr": 0.05},
        ],
        lr=0.1,
        weight_decay=0.25,
    )
    trained = [*biases, tensors["linear_1.weight"]]
    for _ in range(3):
        now = {key: backend.array(value.detach().numpy()) for key, value in tensors.items()}
        _, gradients = model.evaluate(now, data, output_gradients=LOSS)
        for key, gradient in copied(gradients).items():
            tensors[key].grad = torch.tensor(gradient)
        torch.nn.utils.clip_grad_norm_(trained, 0.5)
        expected.step()
        step(params, data)
    check_close(params, {key: value.detach() for key, value in tensors.items()}, 1e-12)
    np.testing.assert_array_equal(copied(params)["linear.weight"], before["linear.weight"])


def test_a_pattern_without_a_match_is_refused() -> None:
    optimizer = ml.SGD(groups=[ml.ParameterGroup("liner_1.*")])
    with pytest.raises(ml.NameError) as caught:
        ml.TrainingStep(network(ml.CpuBackend()), optimizer, output_gradients=LOSS)
    assert str(caught.value) == (
        "mithril.NameError[E0623]: no parameter matches the pattern 'liner_1.*'\n"
        "  help: the nearest key is 'linear_1.weight'"
    )


@pytest.mark.parametrize("kept", ["state_dict", "pickle", "deepcopy"])
@pytest.mark.parametrize("kind", [*BACKENDS, "amp"])
def test_a_step_resumes_in_the_middle_of_an_accumulation(kind: str, kept: str) -> None:
    backend = ml.TorchBackend(use_amp=True) if kind == "amp" else BACKENDS[kind]()
    model = network(backend)
    options: Arrays = {"accumulate": 3, "max_norm": 0.5, "average": ml.EMA(0.5)}
    groups = [ml.ParameterGroup("*.bias", lr_factor=0.5)]

    def made() -> ml.Optimizer:
        return ml.AdamW(ml.CosineSchedule(0.1, steps=4), groups=groups)

    params, first = model.get_parameters(), made()
    step = ml.TrainingStep(model, first, output_gradients=LOSS, **options)
    for turn in range(5):
        step(params, batch(backend, seed=turn))
    resumed = {key: backend.array(value) for key, value in copied(params).items()}
    second = made()
    if kept == "state_dict":
        second.load_state_dict(first.state_dict())
    else:
        second = pickle.loads(pickle.dumps(first)) if kept == "pickle" else copy.deepcopy(first)
    other = ml.TrainingStep(model, second, output_gradients=LOSS, **options)
    other.state = step.state
    for turn in range(5, 11):
        step(params, batch(backend, seed=turn))
        other(resumed, batch(backend, seed=turn))
    for ours, theirs in (
        (params, resumed),
        (first.state_dict(), second.state_dict()),
        (step.averages(params), other.averages(resumed)),
        (step.state, other.state),
    ):
        assert ours.keys() == theirs.keys()
        for key, value in copied(ours).items():
            np.testing.assert_array_equal(copied(theirs)[key], value)


def test_sums_and_averages_are_not_dropped() -> None:
    model = network(ml.CpuBackend())
    data = batch(ml.CpuBackend())
    params, optimizer = model.get_parameters(), ml.AdamW(0.1)
    step = ml.TrainingStep(
        model, optimizer, output_gradients=LOSS, accumulate=2, average=ml.EMA(0.5)
    )
    _, gradients, _ = model.evaluate(params, data, output_gradients=LOSS, state=step.state)
    step(params, data)
    before = copied(params)
    with pytest.raises(ml.StateError, match=r"(?s)E0926.*without 'micro_steps'$"):
        optimizer.step(params, gradients)
    step(params, data)
    after = copied(params)
    with pytest.raises(ml.StateError, match=r"(?s)E0927.*without 'averaged'$"):
        optimizer.step(params, gradients)
    without = ml.TrainingStep(model, optimizer, output_gradients=LOSS)
    with pytest.raises(ml.StateError, match="E0927"):
        without(params, data)
    np.testing.assert_array_equal(copied(params)["linear.weight"], after["linear.weight"])
    assert not np.array_equal(before["linear.weight"], after["linear.weight"])
    kept = optimizer.state_dict()
    del kept["averaged"]
    optimizer.load_state_dict(kept)
    without(params, data)
    optimizer.step(params, gradients)
    assert optimizer.steps == 3
