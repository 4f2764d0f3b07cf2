"""Pairs of models, loops with conditions, and backends."""

import numpy as np
import pytest

import mithril as ml

TARGETS = ["cpu", "reference", "torch", "torch, eager", "jax"]


def backend_of(target):
    """A backend that computes in float64, and what makes its arrays of dicts of NumPy arrays."""
    if target == "cpu":
        return ml.CpuBackend(dtype=ml.float64), dict
    if target == "reference":
        return ml.CpuBackend(dtype=ml.float64, reference=True), dict
    if target == "jax":
        pytest.importorskip("jax")
        return ml.JaxBackend(dtype=ml.float64), dict
    torch = pytest.importorskip("torch")
    backend = ml.TorchBackend(dtype=ml.float64, eager_mode="eager" in target)
    return backend, lambda given: {
        key: torch.tensor(np.asarray(value)) for key, value in given.items()
    }


def compiled_by(model, backend):
    shapes = {"x": [None, 4], "c": [4]}
    shapes = {key: shape for key, shape in shapes.items() if key in model.input_keys}
    return ml.compile(model, backend, shapes=shapes, data_keys=list(shapes))


def arrays(given):
    return {key: np.asarray(value, np.float64) for key, value in given.items()}


def parameters_of(compiled, seed=11):
    draw = np.random.default_rng(seed).normal
    return {
        key: draw(size=np.shape(value)) * 0.6
        for key, value in sorted(compiled.get_parameters().items())
    }


def own_parameters(alone, params):
    """Those of one model alone, from those of a choice, where it is a part."""
    return {
        key: next(value for path, value in params.items() if path.endswith(tail(key)))
        for key in alone.parameter_keys
    }


def tail(key):
    return ".".join(key.split(".")[-2:])


def layers():
    """Each model has parameters."""
    x = ml.IOKey("x")
    then = ml.Model.create(y=ml.Tanh()(ml.Linear(4, name="first")(x)))
    hidden = ml.Sigmoid()(ml.Linear(6, name="second")(x))
    return then, ml.Model.create(y=ml.Linear(4, use_bias=False, name="third")(hidden))


def polynomial():
    x = ml.IOKey("x")
    return ml.Model.create(y=x * x * x - x), ml.Model.create(y=x.exp() * x)


def one_input_each():
    """The models read different inputs, and one of them another one than it returns."""
    x, c = ml.IOKey("x"), ml.IOKey("c")
    return ml.Model.create(y=x.sin() * c), ml.Model.create(y=x.mean(axis=0, keepdim=True) + x)


def hands_over():
    """A model without work."""
    x = ml.IOKey("x")
    return ml.Model.create(y=ml.Buffer()(x)), ml.Model.create(y=ml.Softmax(axis=-1)(x))


BRANCHES = {
    "layers": layers,
    "polynomial": polynomial,
    "one input each": one_input_each,
    "hands over": hands_over,
}


def columns_or_twice_the_rows():
    """Makes [n * m] or [n + n] of x [n, m]."""
    x = ml.IOKey("x")
    column = x.sum(axis=1)
    return ml.Cond(
        "c",
        ml.Model.create(y=x.reshape((-1,))),
        ml.Model.create(y=ml.Concat(axis=0)([column, column])),
    )


def newton(max_steps=None):
    """The square root of a."""
    x, a = ml.IOKey("x"), ml.IOKey("a")
    far = ml.Model.create(far=(x * x - a).abs().max() > 1e-9)
    step = ml.Model.create(x_next=(x + a / x) * 0.5)
    return ml.While(far, step, carry={"x": "x_next"}, max_steps=max_steps)


def collatz():
    n, count = ml.IOKey("n", type=ml.Tensor[int]), ml.IOKey("count", type=ml.Tensor[int])
    odd = ml.Cond(
        ml.Model.create(odd=(n % 2) == 1),
        ml.Model.create(n_next=n * 3 + 1),
        ml.Model.create(n_next=n // 2),
    )
    step = ml.Model()
    step |= odd(n="n", n_next="n_next")
    step |= ml.Add()(left=count, right=1, output="count_next")
    goes_on = ml.Model.create(goes_on=ml.IOKey("n", type=ml.Tensor[int]) > 1)
    return ml.While(goes_on, step, carry={"n": "n_next", "count": "count_next"})


def runs_for_ever():
    """If x has a number above 0."""
    y = ml.IOKey("y")
    loop = ml.While(
        ml.Model.create(positive=y.max() > 0.0),
        ml.Model.create(y_next=y + 1.0),
        carry={"y": "y_next"},
    )
    model = ml.Model()
    model |= loop(y="x", y_last="y")
    return model
