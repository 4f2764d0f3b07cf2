"""Adds two ops and trains a model with them: a formula, and functions of NumPy arrays.

python examples/python/own_ops.py
"""

import numpy as np

import mithril as ml

Squash = ml.add_op(
    "squash",
    inputs={"x": "*s"},
    formula="{x} / (1 + abs({x}))",
    gradient={"x": "{grad} / ((1 + abs({x})) * (1 + abs({x})))"},
)


def gradient(x, grad):
    made = np.empty_like(x)
    np.put_along_axis(made, x.argsort(1), grad, 1)
    return made


SortedRows = ml.add_op(
    "sorted_rows",
    inputs={"x": "N D"},
    outputs={"output": "N D"},
    function=lambda x: np.sort(x, 1),
    gradient=gradient,
)


def main():
    net = ml.Model()
    net |= ml.Linear(8)(input="points", output="h")
    net |= Squash()(x="h", output="squashed")
    net |= ml.Linear(3)(input="squashed", output="numbers")
    net |= SortedRows()(x="numbers", output="sorted")
    train = ml.TrainModel(net)
    train.add_loss(ml.SquaredError(), input="sorted", target="target")
    compiled = ml.compile(train, ml.CpuBackend(), shapes={"points": [None, 3]})

    points = np.random.default_rng(0).normal(size=(256, 3)).astype(np.float32)
    step = ml.TrainingStep(compiled, ml.Adam(3e-2))
    data = {"points": points, "target": np.sort(points, 1)}
    history = ml.fit(step, data, epochs=80, progress=False)
    losses = [epoch["loss"] for epoch in history.epochs]
    print(f"loss {losses[0]:.4f} -> {losses[-1]:.4f}")


if __name__ == "__main__":
    main()
