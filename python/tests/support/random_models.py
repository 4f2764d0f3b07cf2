"""Random smooth functions as models."""

from collections.abc import Callable

import numpy as np

import mithril as ml

SHAPE = (3, 4)
UNARY = [ml.Tanh, ml.Sine, ml.Sigmoid, ml.Gelu, ml.Softplus, ml.Square, ml.Cosine]


def scalar_of(x: ml.Connection, random: np.random.Generator) -> ml.Connection:
    """A random smooth function of x, a scalar."""
    made = [x]

    def any_of_them() -> ml.Connection:
        return made[random.integers(len(made))]

    def constant(*shape: int) -> np.ndarray:
        return random.normal(size=shape) / 2

    steps: list[Callable[[], ml.Connection]] = [
        lambda: UNARY[random.integers(len(UNARY))]()(any_of_them()),
        lambda: any_of_them() + any_of_them(),
        lambda: any_of_them() * any_of_them() * 0.5,
        lambda: any_of_them() / (any_of_them() * any_of_them() + 1.0),
        lambda: any_of_them() @ constant(4, 4),
        lambda: any_of_them() * any_of_them().mean(axis=int(random.integers(2)), keepdim=True),
        lambda: ml.Softmax(axis=int(random.integers(2)))(any_of_them()),
        lambda: (any_of_them() @ any_of_them().transpose((1, 0))) @ constant(3, 4),
        lambda: any_of_them().reshape((2, 6)).transpose((1, 0)).reshape(SHAPE),
        lambda: any_of_them() * any_of_them()[0:1, :],
        lambda: ml.LayerNorm(use_scale=False, use_bias=False)(any_of_them()),
        lambda: any_of_them() * ml.Exponential()(ml.Tanh()(any_of_them())),
    ]
    for _ in range(int(random.integers(3, 9))):
        made.append(steps[random.integers(len(steps))]())
    return (made[-1] * constant(*SHAPE)).sum() + (made[-2] * made[-1]).mean()
