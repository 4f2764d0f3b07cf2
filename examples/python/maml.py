"""Learns to learn: parameters from which one step of gradient descent fits a new sine (MAML).

Usage: python examples/python/maml.py

Finn et al., "Model-agnostic meta-learning for fast adaptation of deep networks", 2017,
https://arxiv.org/abs/1703.03400. The step of each task is a gradient inside of the model, `ml.vmap`
computes all tasks at once, and training differentiates through the steps. Prints the error on new
tasks after one step.
"""

import numpy as np

import mithril as ml

TASKS, POINTS, WIDTH, RATE = 16, 10, 40, 0.02
SIZES = {"w1": (1, WIDTH), "b1": (WIDTH,), "w2": (WIDTH, WIDTH), "b2": (WIDTH,), "w3": (WIDTH, 1)}


def predict(weights: dict[str, ml.Connection], x: ml.Connection) -> ml.Connection:
    h = ml.Tanh()(x @ weights["w1"] + weights["b1"])
    return ml.Tanh()(h @ weights["w2"] + weights["b2"]) @ weights["w3"]


def loss_of(weights: dict[str, ml.Connection], x: ml.Connection, y: ml.Connection) -> ml.Connection:
    error = predict(weights, x) - y
    return (error * error).mean()


def compose() -> ml.Model:
    """Returns a model with the loss of each task after one step."""
    weights = {key: ml.IOKey(key, shape=list(shape)) for key, shape in SIZES.items()}
    points = {key: ml.IOKey(key, shape=[POINTS, 1]) for key in ("x", "y", "new_x", "new_y")}
    before = loss_of(weights, points["x"], points["y"])
    slopes = ml.gradient(before, list(weights.values()))
    stepped = {
        key: weight - slope * RATE
        for (key, weight), slope in zip(weights.items(), slopes, strict=True)
    }
    task = ml.Model.create(after=loss_of(stepped, points["new_x"], points["new_y"]))
    tasks = ml.vmap(task, in_axes={key: 0 for key in points})
    model = ml.Model()
    model |= tasks(**{key: key for key in (*SIZES, *points)}, after="losses")
    model |= ml.Mean()(input="losses", output="loss")
    model.expose_keys("loss")
    return model


def draw_tasks(random: np.random.Generator) -> dict[str, np.ndarray]:
    """Sines of random height and phase: points to learn from, and points to be judged by."""
    height = random.uniform(0.5, 2, size=(TASKS, 1, 1))
    phase = random.uniform(0, np.pi, size=(TASKS, 1, 1))
    data = {}
    for x, y in (("x", "y"), ("new_x", "new_y")):
        data[x] = random.uniform(-3, 3, size=(TASKS, POINTS, 1))
        data[y] = height * np.sin(data[x] + phase)
    return data


def main() -> tuple[float, float]:
    random = np.random.default_rng(0)
    compiled = ml.compile(
        compose(),
        ml.CpuBackend(ml.float64),
        data_keys={"x", "y", "new_x", "new_y"},
        trainable_keys=set(SIZES),
        shapes={key: [TASKS, POINTS, 1] for key in ("x", "y", "new_x", "new_y")},
    )
    params = compiled.get_parameters(seed=0)
    new = [draw_tasks(random) for _ in range(20)]

    def error() -> float:
        return float(np.mean([compiled.evaluate(params, tasks)["loss"] for tasks in new]))

    first = error()
    print(f"before training: error {first:.3f} after one step")
    step = ml.TrainingStep(compiled, ml.Adam(2e-3))
    for _ in range(1500):
        step(params, draw_tasks(random))
    last = error()
    print(f"after training:  error {last:.3f} after one step")
    return first, last


if __name__ == "__main__":
    main()
