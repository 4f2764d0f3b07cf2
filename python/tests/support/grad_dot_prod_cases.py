"""Models and batches for the tests of ml.GradDotProdEngine, and training with and without it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from per_sample_models import CASES, Data, with_losses

import mithril as ml

STEPS, BATCH = 50, 8
OPTIMIZERS: dict[str, Callable[[], Any]] = {
    "SGD": lambda: ml.SGD(1e-2, momentum=0.9),
    "AdamW": lambda: ml.AdamW(1e-2),
}


def compiled_case(name: str, backend: Any = None) -> ml.CompiledModel:
    case = CASES[name]
    keys = set(case.data(np.random.default_rng(0), 1))
    return ml.compile(case.model(), backend or ml.CpuBackend(), shapes=case.shapes, data_keys=keys)


def dropout_model(backend: Any = None) -> ml.CompiledModel:
    net = ml.Model()
    net |= ml.Linear(16)(input="x")
    net += ml.Dropout(p=0.5)
    net += ml.Linear(5)(output="out")
    return ml.compile(
        with_losses(net, x="x"),
        backend or ml.CpuBackend(),
        shapes={"x": [None, 8]},
        data_keys={"x", "y"},
    )


def batches(name: str, count: int = STEPS, batch: int = BATCH) -> list[Data]:
    rng = np.random.default_rng(1)
    return [CASES[name].data(rng, batch) for _ in range(count)]


def engine_of(compiled: ml.CompiledModel, name: str, **options: Any) -> ml.GradDotProdEngine:
    """Returns an engine with four validation samples."""
    options = {"validation_batch_size": 4, **options}
    engine = ml.GradDotProdEngine(compiled, losses="losses", **options)
    engine.attach_and_store_valset(CASES[name].data(np.random.default_rng(2), 4))
    return engine


def train(
    engine: ml.GradDotProdEngine, optimizer: ml.Optimizer, data: list[Data], first: int = 0
) -> None:
    for iteration, batch in enumerate(data, first):
        engine.attach_train_batch(batch, iteration, iteration)
        gradients = engine.prepare_gradients()
        engine.aggregate_and_log()
        optimizer.step(engine.params, gradients)
        engine.clear_gradients()


def train_alone(
    compiled: ml.CompiledModel, optimizer: ml.Optimizer, data: list[Data]
) -> dict[str, Any]:
    """Trains with the gradients of the mean loss of each batch."""
    params, state = compiled.get_parameters(), compiled.initial_state_dict
    for batch in data:
        found: Any = compiled.evaluate(params, batch, **({"state": state} if state else {}))
        losses = np.asarray((found[0] if state else found)["losses"])
        seeds = {"losses": np.full_like(losses, 1 / len(losses))}
        if state:
            made: Any = compiled.evaluate(params, batch, output_gradients=seeds, state=state)
            gradients, state = made[1], made[2]
        else:
            gradients = compiled.evaluate(params, batch, output_gradients=seeds)[1]
        optimizer.step(params, gradients)
    return params


def without_validation() -> ml.GradDotProdEngine:
    return ml.GradDotProdEngine(compiled_case("mlp"), losses="losses", validation_batch_size=4)
