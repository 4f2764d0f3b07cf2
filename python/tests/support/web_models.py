"""Models that run in JavaScript and WebAssembly, with the sizes of their inputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import mithril as ml


def chain(*parts: Any) -> ml.Model:
    model = ml.Model()
    model |= parts[0](input="x")
    for part in parts[1:-1]:
        model += part
    model += parts[-1](output="y")
    return model


def mlp() -> ml.Model:
    return chain(ml.Linear(16), ml.Tanh(), ml.Linear(8), ml.Gelu(), ml.Linear(3))


def classifier() -> ml.Model:
    model = ml.Model()
    model |= ml.MLP(["relu", "softmax"], dimensions=[12, 5])(input="x", output="y")
    return model


def lenet() -> ml.Model:
    return chain(
        ml.Conv2d(filters=6, kernel_size=5, padding=2),
        ml.Relu(),
        ml.MaxPool2D(2),
        ml.Conv2d(filters=16, kernel_size=5),
        ml.Relu(),
        ml.MaxPool2D(2),
        ml.Flatten(start_dim=1),
        ml.Linear(120),
        ml.Relu(),
        ml.Linear(84),
        ml.Relu(),
        ml.Linear(10),
    )


def attention(**options: Any) -> ml.Model:
    model = ml.Model()
    model |= ml.ScaledDotProduct(**options)(query="x", key="k", value="v", output="y")
    return model


def recurrent(kind: Any, **ports: str) -> ml.Model:
    model = ml.Model()
    model |= kind()(input="x", w_out="w_out", output="z", **ports)
    return model


def cross_entropy() -> ml.Model:
    model = ml.Model()
    model |= ml.Linear(5)(input="x", output="logits")
    model |= ml.CrossEntropy()(input="logits", target="label", output="losses")
    model |= ml.Mean()(input="losses", output="y")
    return model


def embedding() -> ml.Model:
    model = ml.Model()
    model |= ml.Embedding(9, dim=6)(input="label")
    model += ml.Linear(3)(output="y")
    return model


def joined() -> ml.Model:
    model = ml.Model()
    model |= ml.Linear(4)(input="x", output="a")
    model |= ml.Concat(axis=1)(input=[model.a, model.a * 2.0 + 1.0], output="b")
    model |= ml.Sum(axis=1, keepdim=True)(input="b", output="s")
    model |= ml.Multiply()(left=model.b[:, 1:6:2], right="s", output="y")
    return model


@dataclass(frozen=True)
class WebCase:
    make: Callable[[], ml.Model]
    shapes: Mapping[str, list[int]]
    ints: Mapping[str, int] = field(default_factory=dict)  # data of int64, below these numbers
    params: Mapping[str, list[int]] = field(default_factory=dict)  # sizes that no data has
    options: Mapping[str, Any] = field(default_factory=dict)

    def compiled(self) -> ml.CompiledModel:
        return ml.compile(
            self.make(),
            ml.CpuBackend(),
            shapes={**self.shapes, **self.params},
            data_keys={*self.shapes},
            **self.options,
        )

    def data(self, seed: int = 0) -> dict[str, Any]:
        random = np.random.default_rng(seed)
        return {
            key: random.integers(0, self.ints[key], shape)
            if key in self.ints
            else random.standard_normal(shape).astype(np.float32)
            for key, shape in self.shapes.items()
        }


TABLE = {"x": [4, 6]}
IMAGE = {"x": [2, 3, 9, 8]}
SEQUENCE = {"x": [2, 5, 8]}
HEADS = {"x": [2, 2, 5, 4], "k": [2, 2, 7, 4], "v": [2, 2, 7, 3]}

CASES = {
    "mlp": WebCase(mlp, TABLE),
    "classifier": WebCase(classifier, TABLE),
    "linear without bias": WebCase(
        lambda: chain(ml.Linear(3, use_bias=False), ml.Sigmoid()), TABLE
    ),
    "lenet": WebCase(lenet, {"x": [2, 1, 28, 28]}),
    "convolution": WebCase(
        lambda: chain(
            ml.Conv2d(filters=4, kernel_size=3, stride=2, padding=1),
            ml.BatchNorm2D(),
            ml.LeakyRelu(0.1),
        ),
        IMAGE,
    ),
    "grouped convolution": WebCase(
        lambda: chain(ml.Convolution2D(3, out_channels=6, groups=3, dilation=2), ml.AvgPool2D(2)),
        IMAGE,
    ),
    "convolution over one axis": WebCase(
        lambda: chain(ml.Conv1d(filters=5, kernel_size=3), ml.SiLU()), SEQUENCE
    ),
    "transposed convolution": WebCase(
        lambda: chain(ml.ConvTranspose2d(filters=2, kernel_size=3, stride=2), ml.Tanh()), IMAGE
    ),
    "batch norm in inference": WebCase(
        lambda: chain(ml.BatchNorm2D(), ml.Relu()), IMAGE, options={"inference": True}
    ),
    "layer norm": WebCase(lambda: chain(ml.LayerNorm(), ml.Linear(3), ml.LayerNorm()), SEQUENCE),
    "group norm": WebCase(lambda: chain(ml.GroupNorm(2), ml.Relu()), {"x": [2, 4, 3, 3]}),
    "rms norm": WebCase(lambda: chain(ml.RMSNorm(), ml.Linear(4)), SEQUENCE),
    "softmax": WebCase(lambda: chain(ml.Linear(7), ml.Softmax(axis=1)), SEQUENCE),
    "attention": WebCase(lambda: attention(is_causal=False), HEADS),
    "causal attention": WebCase(lambda: attention(is_causal=True), HEADS),
    "transformer block": WebCase(
        lambda: chain(ml.TransformerBlock(2, dimension=8), ml.Linear(2)), SEQUENCE
    ),
    "lstm": WebCase(
        lambda: recurrent(
            ml.LSTMCell, prev_hidden="h", prev_cell="c", hidden="y", cell="next_cell"
        ),
        {"x": [2, 1, 4], "h": [2, 1, 3], "c": [2, 1, 3]},
        params={"w_out": [2, 3]},
    ),
    "gru": WebCase(
        lambda: recurrent(ml.GRUCell, prev_hidden="h", hidden="y"),
        {"x": [2, 1, 4], "h": [2, 1, 3]},
        params={"w_out": [2, 3]},
    ),
    "cross entropy": WebCase(cross_entropy, {"x": [4, 6], "label": [4]}, ints={"label": 5}),
    "embedding": WebCase(embedding, {"label": [3, 4]}, ints={"label": 9}),
    "joined and sliced": WebCase(joined, TABLE),
}


LENGTH = 24
WIDTH = 32


def gpt() -> ml.Model:
    """A language model of bytes."""
    tokens = ml.IOKey("tokens", type=ml.Tensor[int], shape=["N", LENGTH])
    x = ml.Embedding(256, dim=WIDTH)(input=tokens)
    x = x + ml.Embedding(LENGTH, dim=WIDTH)(input=ml.Arange()(stop=tokens.shape[1]))
    joined = ml.Linear(3 * WIDTH)(input=ml.LayerNorm()(input=x))
    parts = [joined[..., first : first + WIDTH] for first in (0, WIDTH, 2 * WIDTH)]
    mixed = ml.ScaledDotProduct(is_causal=True)(*parts)
    x = x + ml.Linear(WIDTH)(input=mixed)
    wide = ml.Gelu()(input=ml.Linear(2 * WIDTH)(input=ml.LayerNorm()(input=x)))
    x = x + ml.Linear(WIDTH)(input=wide)
    logits = ml.Linear(256)(input=ml.LayerNorm()(input=x))
    return ml.Model.create(logits=logits)


def driver_network(sizes: Mapping[str, int]) -> ml.Model:
    """The network of the JavaScript driver, with its loss."""
    length, width = sizes["contextLength"], sizes["hiddenSize"]
    heads = 4 if width % 4 == 0 else 1

    def weights(name: str) -> dict[str, Any]:
        return {port: ml.IOKey(f"{name}.{port}") for port in ("weight", "bias")}

    def linear(name: str, units: int, x: Any) -> Any:
        return ml.Linear(units)(input=x, **weights(name))

    def norm(name: str, x: Any) -> Any:
        return ml.LayerNorm()(input=x, **weights(name))

    tokens = ml.IOKey("tokens", type=ml.Tensor[int], shape=["N", length])
    x = ml.Embedding(sizes["inputSize"], dim=width)(input=tokens, weight=ml.IOKey("tokens.weight"))
    x = x + ml.IOKey("positions.weight", shape=[length, width])
    for block in range(sizes["numLayers"]):
        joined = linear(f"blocks.{block}.attention", 3 * width, norm(f"blocks.{block}.norm1", x))
        split = joined.reshape((-1, length, 3, heads, width // heads))
        parts = [ml.SwapAxes(1, axis2=2)(input=split[:, :, part]) for part in range(3)]
        mixed = ml.SwapAxes(1, axis2=2)(input=ml.ScaledDotProduct(is_causal=True)(*parts))
        x = x + linear(f"blocks.{block}.projection", width, mixed.reshape((-1, length, width)))
        wide = linear(f"blocks.{block}.up", 4 * width, norm(f"blocks.{block}.norm2", x))
        x = x + linear(f"blocks.{block}.down", width, ml.Gelu()(input=wide))
    logits = linear("head", sizes["outputSize"], norm("norm", x))
    by_class = ml.SwapAxes(1, axis2=2)(input=logits)
    following = ml.IOKey("next", type=ml.Tensor[int])
    losses = ml.CrossEntropy()(input=by_class, target=following)
    return ml.Model.create(loss=ml.Mean()(input=losses))
