"""Bodies of loops, the same steps written out, and data."""

import numpy as np

import mithril as ml

BACKEND = ml.CpuBackend(dtype=ml.float64)


def elman() -> ml.Model:
    step = ml.Model()
    step |= ml.Linear(4)(input="x", output="a")
    step |= ml.Linear(4, use_bias=False)(input="h", output="b")
    step |= ml.Add()(left="a", right="b", output="sum")
    step |= ml.Tanh()(input="sum", output="h_next")
    step |= ml.Sum(axis=-1)(input="h_next", output="y")
    return step


def lstm() -> ml.Model:
    x, h, c = ml.IOKey("x"), ml.IOKey("h"), ml.IOKey("c")
    gates = ml.Linear(16)(ml.Concat(axis=-1)([x, h]))
    i, f, o = (ml.Sigmoid()(gates[..., 4 * k : 4 * k + 4]) for k in range(3))
    c_next = f * c + i * ml.Tanh()(gates[..., 12:])
    h_next = o * ml.Tanh()(c_next)
    return ml.Model.create(h_next=h_next, c_next=c_next, y=h_next.sum(axis=-1))


def normalized() -> ml.Model:
    """Reductions, a softmax, and an input that every step reads."""
    x, h, scale = ml.IOKey("x"), ml.IOKey("h"), ml.IOKey("scale")
    mixed = ml.Softmax(axis=-1)(ml.Linear(4)(x) + h) * scale
    h_next = (mixed - mixed.mean(axis=-1, keepdim=True)) + h * 0.5
    return ml.Model.create(h_next=h_next, y=h_next.exp().sum(axis=-1))


def running_total() -> ml.Model:
    """A model with a state: the sum of all x."""
    step = ml.Model()
    step |= ml.Add()(left="total", right="x", output="next_total")
    step.bind_state_keys("total", "next_total", 0.0)
    step |= ml.Buffer()(input="next_total", output="y")
    step.set_shapes({"x": [], "total": []})
    return step


BODIES = {
    "elman": (elman, {"h": "h_next"}),
    "lstm": (lstm, {"h": "h_next", "c": "c_next"}),
    "normalized": (normalized, {"h": "h_next"}),
}


def unrolled(make, carry, steps, reverse=False):
    """The steps written out, with the ports of the loop, but "y_0", "y_1", ... for its stack."""
    model, body = ml.Model(), make()
    x = ml.IOKey("x")
    before = {key: key for key in carry}
    order = range(steps)[::-1] if reverse else range(steps)
    last = {}
    for n, t in enumerate(order):
        part = body if n == 0 else body.shared()
        names = {next_: f"{key}_{t}" for key, next_ in carry.items()}
        shared = {"scale": "scale"} if "scale" in body.input_keys else {}
        model |= part(x=x[t], y=f"y_{t}", **before, **names, **shared)
        before = last = {key: f"{key}_{t}" for key in carry}
    return model, last


def data_of(steps, carry, make, seed=0):
    draw = np.random.default_rng(seed).normal
    data = {"x": draw(size=(steps, 3, 2))} | {key: draw(size=(3, 4)) for key in carry}
    if "scale" in make().input_keys:
        data["scale"] = draw(size=(3, 4))
    return data


def parameters_of(compiled, seed=1):
    draw = np.random.default_rng(seed).normal
    return {
        key: draw(size=np.asarray(value).shape) * 0.5
        for key, value in compiled.get_parameters().items()
    }
