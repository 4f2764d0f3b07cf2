"""Schedules of the learning rate, beside those of torch."""

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch.optim import lr_scheduler as theirs

import mithril as ml

STEPS = 40


def warmed(optimizer: Any, start: float, warmup: int, after: Any) -> Any:
    if warmup == 0:
        return after
    rising = theirs.LinearLR(optimizer, start, total_iters=warmup)
    return theirs.SequentialLR(optimizer, [rising, after], [warmup])


# A schedule and the same of torch; rates of 0.3 at most.
CASES: dict[str, tuple[Any, Callable[[Any], Any]]] = {
    "constant": (0.3, lambda o: theirs.LambdaLR(o, lambda _: 1)),
    "constant after a warm-up": (
        ml.ConstantSchedule(0.3, warmup=7, warmup_start=0.25),
        lambda o: theirs.LinearLR(o, 0.25, total_iters=7),
    ),
    "cosine": (
        ml.CosineSchedule(0.3, steps=STEPS, end=0.01),
        lambda o: theirs.CosineAnnealingLR(o, STEPS, eta_min=0.01),
    ),
    "cosine after a warm-up": (
        ml.CosineSchedule(0.3, steps=STEPS, warmup=5, warmup_start=0.1),
        lambda o: warmed(o, 0.1, 5, theirs.CosineAnnealingLR(o, STEPS - 5)),
    ),
    "linear": (
        ml.LinearSchedule(0.3, steps=25, end=0.03),
        lambda o: theirs.LinearLR(o, 1.0, 0.1, total_iters=25),
    ),
    "linear after a warm-up": (
        ml.LinearSchedule(0.3, steps=30, warmup=6, warmup_start=0.5),
        lambda o: warmed(o, 0.5, 6, theirs.LinearLR(o, 1.0, 0.0, total_iters=24)),
    ),
    "step": (
        ml.StepSchedule(0.3, step_size=9, gamma=0.5),
        lambda o: theirs.StepLR(o, 9, gamma=0.5),
    ),
    "one cycle": (
        ml.OneCycleSchedule(0.3, steps=STEPS),
        lambda o: theirs.OneCycleLR(o, 0.3, STEPS, cycle_momentum=False),
    ),
    "one cycle with all": (
        ml.OneCycleSchedule(0.3, steps=STEPS, pct_start=0.41, div_factor=10, final_div_factor=7),
        lambda o: theirs.OneCycleLR(
            o, 0.3, STEPS, pct_start=0.41, div_factor=10, final_div_factor=7, cycle_momentum=False
        ),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_rates_are_those_of_torch(name: str) -> None:
    schedule, make = CASES[name]
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=0.3)
    scheduler = make(optimizer)
    ours = ml.SGD(schedule)
    params, gradients = {"p": np.zeros(1)}, {"p": np.ones(1)}
    for taken in range(STEPS):
        rate, expected = ours.lr, optimizer.param_groups[0]["lr"]
        assert rate == pytest.approx(expected, rel=1e-12, abs=1e-15), taken
        if not isinstance(schedule, float):
            assert schedule(taken) == rate
        before = params["p"].copy()
        ours.step(params, gradients)
        np.testing.assert_array_equal(params["p"], before - rate)
        optimizer.step()
        if taken + 1 < STEPS:
            scheduler.step()


def test_the_last_rate_stays() -> None:
    assert ml.CosineSchedule(0.3, steps=10, end=0.125)(1000) == 0.125
    assert ml.LinearSchedule(0.3, steps=10, end=0.125)(1000) == 0.125
    one_cycle = ml.OneCycleSchedule(0.3, steps=10)
    assert one_cycle(1000) == one_cycle(9)


@pytest.mark.parametrize("kept", ["state_dict", "pickle", "deepcopy"])
def test_a_schedule_continues(kept: str) -> None:
    schedule = ml.CosineSchedule(0.3, steps=10, warmup=2)
    first = ml.Adam(schedule)
    params, gradients = {"p": np.zeros(3)}, {"p": np.ones(3)}
    for _ in range(4):
        first.step(params, gradients)
    second = ml.Adam(schedule)
    if kept == "state_dict":
        second.load_state_dict(first.state_dict())
    else:
        second = pickle.loads(pickle.dumps(first)) if kept == "pickle" else copy.deepcopy(first)
    assert second.steps == 4
    assert second.lr == first.lr == schedule(4)
    assert repr(second.schedule) == repr(schedule)
    resumed = {"p": params["p"].copy()}
    first.step(params, gradients)
    second.step(resumed, gradients)
    np.testing.assert_array_equal(params["p"], resumed["p"])


def test_a_state_dict_without_steps_takes_those_of_parameters() -> None:
    first = ml.Adam(0.1)
    for _ in range(3):
        first.step({"p": np.zeros(3)}, {"p": np.ones(3)})
    state = first.state_dict()
    del state["steps"]
    second = ml.Adam(ml.LinearSchedule(0.1, steps=10))
    second.load_state_dict(state)
    assert second.steps == 3


def test_a_number_replaces_a_schedule_and_a_schedule_a_number() -> None:
    optimizer = ml.SGD(ml.StepSchedule(0.5, step_size=1))
    optimizer.lr = 0.25
    assert optimizer.schedule == optimizer.lr == 0.25
    optimizer.lr = ml.ConstantSchedule(0.75)
    assert optimizer.lr == 0.75
    assert repr(optimizer.schedule) == "ConstantSchedule(lr=0.75, warmup=0, warmup_start=0.0)"


def test_schedules_out_of_range_are_refused() -> None:
    with pytest.raises(ml.ValueError) as caught:
        ml.CosineSchedule(0.1, steps=5, warmup=5)
    assert str(caught.value) == (
        "mithril.ValueError[E0406]: cosine schedule: steps is 5, expected more than the steps of "
        "the warm-up"
    )
    with pytest.raises(ml.ValueError, match="step schedule: step_size is 0, expected at least 1"):
        ml.StepSchedule(0.1, step_size=0)
    with pytest.raises(ml.ValueError, match="one-cycle schedule: pct_start is 2, expected from 0"):
        ml.OneCycleSchedule(0.1, steps=5, pct_start=2)
    with pytest.raises(ml.TypeError, match=r"a number or a schedule, such as ml.CosineSchedule"):
        ml.Adam("fast")  # type: ignore[arg-type]
