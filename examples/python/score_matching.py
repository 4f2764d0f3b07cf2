"""Learns the score of a distribution, the gradient of its log density, from samples alone.

Usage: python examples/python/score_matching.py

Hyvärinen, "Estimation of non-normalized statistical models by score matching", 2005: the loss is
|s|^2 / 2 + the trace of the Jacobian of s. `ml.vmap` computes the Jacobian of each sample. Prints
the error relative to the exact score.
"""

import numpy as np

import mithril as ml

CENTRES = np.array([[-1.5, 0.0], [1.5, 0.5]])  # of two normal distributions of deviation 1


def compose() -> ml.Model:
    """Returns a model with the score and the loss of one point."""
    net = ml.Model()
    net |= ml.Linear(32)(input="x", output="h1")
    net |= ml.Tanh()(input="h1", output="h2")
    net |= ml.Linear(32)(input="h2", output="h3")
    net |= ml.Tanh()(input="h3", output="h4")
    net |= ml.Linear(2)(input="h4", output="score")
    slopes = ml.Jacobian(net, of="score", wrt=["x"], mode="forward")
    point = ml.Model()
    point |= slopes(x="x", score="score", **{"x.jacobian": "slopes"})
    score, jacobian = point["score"], point["slopes"].reshape((2, 2))
    trace = jacobian[0, 0] + jacobian[1, 1]
    point |= ml.Buffer()(input=(score * score).sum() * 0.5 + trace, output="loss")
    return point


def exact_score(x: np.ndarray) -> np.ndarray:
    away = CENTRES[:, None] - x
    weights = np.exp(-(away**2).sum(-1, keepdims=True) / 2)
    score: np.ndarray = (weights * away).sum(0) / weights.sum(0)
    return score


def main() -> float:
    random = np.random.default_rng(0)
    model = ml.vmap(compose(), in_axes={"x": 0})
    train = ml.TrainModel(model)
    train.add_loss(ml.Buffer(), input="loss", reduce_steps=[ml.Mean()])
    compiled = ml.compile(
        train, ml.CpuBackend(ml.float64), data_keys={"x"}, shapes={"x": [256, 1, 2]}
    )
    params = compiled.get_parameters(seed=0)
    step = ml.TrainingStep(compiled, ml.Adam(3e-3))
    for number in range(2001):
        x = CENTRES[random.integers(2, size=256)] + random.normal(size=(256, 2))
        outputs = step(params, {"x": x[:, None]})
        if number % 500 == 0:
            print(f"step {number:4}: loss {float(outputs['final_cost']):7.3f}")
    x = CENTRES[random.integers(2, size=256)] + random.normal(size=(256, 2))
    got = np.asarray(compiled.infer(params, {"x": x[:, None]})["score"]).reshape(256, 2)
    error = float(np.linalg.norm(got - exact_score(x)) / np.linalg.norm(exact_score(x)))
    print(f"error of the score: {error:.3f}")
    return error


if __name__ == "__main__":
    main()
