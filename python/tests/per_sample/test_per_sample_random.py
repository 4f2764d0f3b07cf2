"""ml.PerSample, single samples, and torch.func.vmap(grad) on random models: three methods agree."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mithril as ml

torch = pytest.importorskip("torch")

MODELS = 200
Value = Any  # a tensor of torch [T, D] of one sample
Step = Callable[[dict[str, Any], Value], Value]


class RandomNetwork:
    """A network on [B, T, D], as a model and as a function of torch on one sample [T, D]."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        self.length, self.width = int(rng.integers(1, 5)), int(rng.integers(1, 7))
        self.input_dims = (self.length, self.width)
        self.model = ml.Model()
        self.steps: list[Step] = []
        self.square: list[str] = []  # weights [D, D] that a later layer may use again
        self.key = "x"
        self.count = 0
        for _ in range(int(rng.integers(2, 7))):
            getattr(self, str(rng.choice(LAYERS)))()
        self.linear(1 + int(rng.integers(3)))

    def name(self) -> str:
        self.count += 1
        return f"v{self.count}"

    def add(self, part: ml.Model, step: Step, **ports: Any) -> None:
        out = self.name()
        self.model |= part(input=self.key, output=out, **ports)
        self.key = out
        self.steps.append(step)

    def linear(self, width: int | None = None) -> None:
        width = width or int(self.rng.integers(1, 7))
        name, bias = f"linear{self.count}", bool(self.rng.integers(2))

        def step(p: dict[str, Any], x: Value) -> Value:
            return torch.nn.functional.linear(x, p[name + ".weight"], p.get(name + ".bias"))

        self.add(ml.Linear(width, use_bias=bias, name=name), step)
        self.width = width

    def shared_linear(self) -> None:
        """Adds x @ w, or x @ w.T. The weight [D, D] is new or one that the model uses already."""
        fitting = [name for name in self.square if name.endswith(f"_{self.width}")]
        known = bool(fitting) and bool(self.rng.integers(3))
        weight = str(self.rng.choice(fitting)) if known else f"w{self.count}_{self.width}"
        transposed = bool(self.rng.integers(2))
        if not known:
            self.square.append(weight)
        key = weight if known else ml.IOKey(weight, shape=[self.width] * 2, differentiable=True)
        right, out = key, self.name()
        if transposed:
            right = self.name()
            self.model |= ml.Transpose()(input=key, output=right)
        self.model |= ml.MatrixMultiply()(left=self.key, right=right, output=out)
        self.key = out
        self.steps.append(lambda p, x: x @ (p[weight].T if transposed else p[weight]))

    def tanh(self) -> None:
        self.add(ml.Tanh(), lambda _, x: torch.tanh(x))

    def gelu(self) -> None:
        self.add(ml.Gelu(), lambda _, x: torch.nn.functional.gelu(x))

    def softmax(self) -> None:
        self.add(ml.Softmax(axis=-2), lambda _, x: torch.softmax(x, -2))

    def norm(self) -> None:
        name, width = f"norm{self.count}", self.width
        self.add(
            ml.LayerNorm(eps=0.1, name=name),
            lambda p, x: torch.nn.functional.layer_norm(
                x, (width,), p[name + ".weight"], p[name + ".bias"], 0.1
            ),
        )

    def scale(self) -> None:
        name, width = f"scale{self.count}", self.width
        out = self.name()
        key = ml.IOKey(name, shape=[width], differentiable=True)
        self.model |= ml.Multiply()(left=self.key, right=key, output=out)
        self.key = out
        self.steps.append(lambda p, x: x * p[name])

    def positions(self) -> None:
        name, dims = f"positions{self.count}", [self.length, self.width]
        out = self.name()
        key = ml.IOKey(name, shape=dims, differentiable=True)
        self.model |= ml.Add()(left=self.key, right=key, output=out)
        self.key = out
        self.steps.append(lambda p, x: x + p[name])

    def swap(self) -> None:
        self.add(ml.SwapAxes(axis1=-1, axis2=-2), lambda _, x: x.transpose(-1, -2))
        self.length, self.width = self.width, self.length

    def convolution(self) -> None:
        """Adds a convolution along D, in which T is the channels."""
        name, filters = f"conv{self.count}", int(self.rng.integers(1, 4))

        def step(p: dict[str, Any], x: Value) -> Value:
            made = torch.nn.functional.conv1d(
                x[None], p[name + ".weight"], p[name + ".bias"], padding=1
            )
            return made[0]

        self.add(ml.Conv1d(filters=filters, kernel_size=3, padding=1, name=name), step)
        self.length = filters

    def finished(self) -> ml.Model:
        self.model |= ml.SquaredError()(input=self.key, target="y", output="losses")
        return self.model

    def losses(self, params: dict[str, Any], x: Value, y: Value) -> Value:
        for step in self.steps:
            x = step(params, x)
        return ((x - y) ** 2).sum()


LAYERS = [
    "linear",
    "shared_linear",
    "shared_linear",
    "tanh",
    "gelu",
    "softmax",
    "norm",
    "scale",
    "positions",
    "swap",
    "convolution",
]


def per_sample_of_torch(network: RandomNetwork, params: Any, x: Any, y: Any) -> dict[str, Any]:
    def loss(p: dict[str, Any], one: Any, target: Any) -> Any:
        return network.losses(p, one, target)

    gradients = torch.func.vmap(torch.func.grad(loss), in_dims=(None, 0, 0))
    held = {key: torch.tensor(np.asarray(value)) for key, value in params.items()}
    made = gradients(held, torch.tensor(x), torch.tensor(y))
    return {key: value.numpy() for key, value in made.items()}


@pytest.mark.parametrize("seed", range(MODELS))
@pytest.mark.sampled(5)
def test_three_methods_agree(seed: int) -> None:
    rng = np.random.default_rng(seed)
    network = RandomNetwork(rng)
    batch, others = int(rng.integers(1, 5)), int(rng.integers(1, 4))
    compiled = ml.compile(
        network.finished(),
        ml.CpuBackend(dtype="float64"),
        shapes={"x": [None, *network.input_dims]},
        data_keys={"x", "y"},
    )
    params = compiled.get_parameters(seed)
    x = rng.standard_normal((batch + others, *network.input_dims))
    y = rng.standard_normal((batch + others, network.length, network.width))
    data, validation = {"x": x[:batch], "y": y[:batch]}, {"x": x[batch:], "y": y[batch:]}
    expected = per_sample_of_torch(network, params, x, y)
    rows = np.concatenate(
        [value.reshape(batch + others, -1) for value in expected.values()], axis=1
    )
    size = np.linalg.norm(rows, axis=1)
    strategy = [None, "gram", "bilinear", "materialized"][seed % 4]
    samples = ml.PerSample(compiled, losses="losses", strategy=strategy)
    samples.verify(params, data)
    gradients = samples.gradients(params, data)
    for key, value in expected.items():
        error = np.abs(np.asarray(gradients[key]) - value[:batch]).reshape(batch, -1).max(1)
        assert (error / size[:batch]).max() <= 1e-10, key
    norms = np.asarray(samples.norms(params, data).total)
    assert (np.abs(norms - size[:batch]) / size[:batch]).max() <= 1e-10
    pairs = np.asarray(samples.dots(params, data, validation, pairs=True).total)
    scale = size[:batch, None] * size[batch:]
    assert (np.abs(pairs - rows[:batch] @ rows[batch:].T) / scale).max() <= 1e-10
    sums = np.asarray(samples.dots(params, data, validation).total)
    assert (np.abs(sums - pairs.sum(1)) / scale.sum(1)).max() <= 1e-10
