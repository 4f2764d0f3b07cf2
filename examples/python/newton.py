"""Fits a logistic regression by Newton's method: conjugate gradients on products with the Hessian.

Usage: python examples/python/newton.py

The Hessian is never made: `ml.hvp` multiplies it with a vector. Prints the norm of the gradient of
each step, which falls quadratically.
"""

from collections.abc import Callable
from functools import partial

import numpy as np

import mithril as ml

ROWS, FEATURES = 200, 10


def compose() -> ml.Model:
    """Returns a model with the cost of weights w, its gradient, and its Hessian times v."""
    x = ml.IOKey("x", shape=[ROWS, FEATURES])
    y = ml.IOKey("y", shape=[ROWS, 1])
    w, v = (ml.IOKey(name, shape=[FEATURES, 1]) for name in "wv")
    cost = (ml.Softplus()(x @ w) - y * (x @ w)).mean() + (w * w).sum() * 0.005
    return ml.Model.create(cost=cost, gradient=ml.gradient(cost, w), product=ml.hvp(cost, w, v))


def solve(multiply: Callable[[np.ndarray], np.ndarray], b: np.ndarray) -> np.ndarray:
    """Returns the solution of A s = b by conjugate gradients."""
    s, r = np.zeros_like(b), b.copy()
    p, before = r.copy(), float((r * r).sum())
    for _ in range(2 * b.size):
        if before < 1e-24:
            break
        product = multiply(p)
        step = before / float((p * product).sum())
        s, r = s + step * p, r - step * product
        after = float((r * r).sum())
        p, before = r + after / before * p, after
    return s


def main() -> list[float]:
    random = np.random.default_rng(0)
    x = random.normal(size=(ROWS, FEATURES))
    y = (x @ random.normal(size=(FEATURES, 1)) + random.normal(size=(ROWS, 1)) > 0).astype(float)
    compiled = ml.compile(compose(), ml.CpuBackend(ml.float64), data_keys={"x", "y", "w", "v"})

    def evaluate(w: np.ndarray, v: np.ndarray) -> dict[str, np.ndarray]:
        outputs = compiled.evaluate({}, {"x": x, "y": y, "w": w, "v": v})
        return {key: np.asarray(value) for key, value in outputs.items()}

    def product(w: np.ndarray, v: np.ndarray) -> np.ndarray:
        return evaluate(w, v)["product"]

    w, norms = np.zeros((FEATURES, 1)), []
    for number in range(8):
        outputs = evaluate(w, np.zeros_like(w))
        norms.append(float(np.linalg.norm(outputs["gradient"])))
        print(f"step {number}: cost {float(outputs['cost']):.6f}, gradient {norms[-1]:.1e}")
        w = w - solve(partial(product, w), outputs["gradient"])
    return norms


if __name__ == "__main__":
    main()
