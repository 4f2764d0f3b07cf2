"""Solves u'' = -sin(x) with u(0) = u(pi) = 0 by a network whose second derivative is in its loss.

Usage: python examples/python/solve_ode.py

A physics-informed network (Raissi et al., 2019). The solution is sin(x). Prints the largest error.
"""

import numpy as np

import mithril as ml


def compose() -> ml.Model:
    """Returns a model with u and the residual u'' + sin(x)."""
    x = ml.IOKey("x", shape=["N", 1])
    h = ml.Tanh()(ml.Linear(24)(x))
    h = ml.Tanh()(ml.Linear(24)(h))
    u = x * (np.pi - x) * ml.Linear(1)(h)  # 0 at both ends
    slope = ml.gradient(u, x, seed=1.0)
    curvature = ml.gradient(slope, x, seed=1.0)
    return ml.Model.create(u=u, residual=curvature + x.sin())


def main() -> float:
    train = ml.TrainModel(compose())
    train.add_loss(ml.SquaredError(), input="residual", target=ml.IOKey("zeros"))
    points = np.linspace(0, np.pi, 64).reshape(-1, 1)
    data = {"x": points, "zeros": np.zeros_like(points)}
    compiled = ml.compile(train, ml.CpuBackend(ml.float64), data_keys={"x", "zeros"})
    params = compiled.get_parameters(seed=0)
    step = ml.TrainingStep(compiled, ml.Adam(5e-3))
    for number in range(2001):
        if number == 1500:
            step.optimizer.lr = 5e-4
        cost = float(step(params, data)["final_cost"])
        if number % 500 == 0:
            print(f"step {number:4}: mean squared residual {cost:.2e}")
    error = float(np.abs(compiled.infer(params, {"x": points})["u"] - np.sin(points)).max())
    print(f"largest error of u: {error:.1e}")
    return error


if __name__ == "__main__":
    main()
