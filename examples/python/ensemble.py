"""Trains an ensemble of eight networks as one model, by `ml.vmap`.

Usage: python examples/python/ensemble.py

The networks differ in their first values. Where there is no data they disagree: the spread of their
predictions says how uncertain they are. Prints the spread, and the time of a step beside that of
eight models.
"""

import time
from collections.abc import Callable

import numpy as np

import mithril as ml

MEMBERS = 8


def network() -> ml.Model:
    net = ml.Model()
    net |= ml.Linear(32)(input="x", output="h")
    net |= ml.Tanh()(input="h", output="a")
    net |= ml.Linear(1)(input="a", output="y")
    return net


def training_of(
    model: ml.Model, data: dict[str, np.ndarray]
) -> tuple[ml.TrainingStep, dict[str, np.ndarray]]:
    train = ml.TrainModel(model)
    train.add_loss(ml.SquaredError(), input="y", target="target", reduce_steps=[ml.Sum(axis=None)])
    compiled = ml.compile(
        train,
        ml.CpuBackend(),
        data_keys={"x", "target"},
        shapes={key: list(value.shape) for key, value in data.items()},
    )
    return ml.TrainingStep(compiled, ml.Adam(1e-2)), compiled.get_parameters(seed=1)


def seconds_of(call: Callable[[], object]) -> float:
    """The median of 50 calls."""
    times = []
    for _ in range(50):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return sorted(times)[25]


def main() -> tuple[float, float]:
    random = np.random.default_rng(0)
    x = np.concatenate([random.uniform(-3, -1, 64), random.uniform(1, 3, 64)])[:, None]
    y = np.sin(2 * x) + 0.1 * random.normal(size=x.shape)
    alone = {"x": x.astype("float32"), "target": y.astype("float32")}
    data = {**alone, "target": np.repeat(alone["target"][None], MEMBERS, axis=0)}
    step, params = training_of(ml.vmap(network(), params="*", size=MEMBERS), data)
    for _ in range(1000):
        step(params, data)
    points = np.array([[-2.0], [0.0], [2.0]], "float32")
    answers = ml.compile(
        ml.vmap(network(), params="*", size=MEMBERS),
        ml.CpuBackend(),
        data_keys={"x"},
        shapes={"x": [3, 1]},
    ).infer(params, {"x": points})["y"]
    spread = np.asarray(answers).std(axis=0).flatten()
    for at, deviation in zip(points.flatten(), spread, strict=True):
        print(f"x = {at:4.1f}: deviation {deviation:.3f}")
    together = seconds_of(lambda: step(params, data))
    one, own = training_of(network(), alone)
    apart = seconds_of(lambda: [one(own, alone) for _ in range(MEMBERS)])
    print(f"a step of the ensemble takes {together / apart:.2f} of the time of eight models")
    return float(spread[1] / spread[[0, 2]].max()), together / apart


if __name__ == "__main__":
    main()
