"""Models for the tests of ml.PerSample: each with data for any batch, and with gradients that are
not zero."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from per_sample_transformers import bert_block, bert_data, gpt2_data, gpt2_of_two_layers

import mithril as ml

Data = dict[str, np.ndarray[Any, Any]]


@dataclass
class Case:
    """A model with the output "losses", and what compile needs."""

    model: Callable[[], ml.Model]
    data: Callable[[np.random.Generator, int], Data]  # for a number of samples
    shapes: dict[str, Any] = field(default_factory=dict)
    inference: bool = False  # of the compiled model's layers: parts are made with inference=True


def with_losses(net: ml.Model, **inputs: str) -> ml.Model:
    """The model with the squared errors of its output "out", [B, ...], as losses."""
    model = ml.Model()
    model |= net(**inputs, out="out")
    model |= ml.SquaredError()(input="out", target="y", output="losses")
    return model


def regression(shape: tuple[int, ...], out: tuple[int, ...]) -> Callable[..., Data]:
    def data(rng: np.random.Generator, batch: int) -> Data:
        return {
            "x": rng.standard_normal((batch, *shape)),
            "y": rng.standard_normal((batch, *out)),
        }

    return data


def mlp() -> ml.Model:
    net = ml.Model()
    net |= ml.Linear(16)(input="x")
    net += ml.Tanh()
    net += ml.Linear(5)(output="out")
    return with_losses(net, x="x")


def norms() -> ml.Model:
    net = ml.Model()
    net |= ml.Linear(12)(input="x")
    net += ml.LayerNorm()
    net += ml.Linear(12)
    net += ml.RMSNorm()
    net += ml.Linear(3)(output="out")
    return with_losses(net, x="x")


def convolutions() -> ml.Model:
    net = ml.Model()
    net |= ml.Conv2d(filters=4, kernel_size=3, stride=2, padding=1)(input="x")
    net += ml.Relu()
    net += ml.Conv2d(filters=6, kernel_size=(1, 3), stride=(2, 1), padding=(0, 2), groups=2)
    net += ml.GroupNorm(num_groups=3)
    net += ml.Conv2d(filters=4, kernel_size=3, dilation=2, padding=2, use_bias=False)
    net += ml.MaxPool2D(kernel_size=2)
    net += ml.Flatten(start_dim=1)
    net += ml.Linear(3)(output="out")
    return with_losses(net, x="x")


def transposed_convolutions() -> ml.Model:
    net = ml.Model()
    net |= ml.Conv1d(filters=4, kernel_size=3, padding=1)(input="x")
    net += ml.Tanh()
    net += ml.ConvTranspose1d(filters=3, kernel_size=4, stride=2, padding=1)(output="out")
    return with_losses(net, x="x")


def transposed_images() -> ml.Model:
    net = ml.Model()
    net |= ml.ConvTranspose2d(filters=3, kernel_size=3, stride=2, padding=1)(input="x")
    net += ml.Tanh()
    net += ml.Conv2d(filters=2, kernel_size=3)(output="out")
    return with_losses(net, x="x")


def tied() -> ml.Model:
    """A model whose embedding is also its head, with learned positions."""
    model = ml.Model()
    model |= ml.Embedding(num_embeddings=11, dim=6, name="embedding")(
        input="ids", weight=ml.IOKey("table", differentiable=True), output="e"
    )
    model |= ml.Add()(
        left="e", right=ml.IOKey("positions", shape=[5, 6], differentiable=True), output="x"
    )
    model |= ml.Linear(6, name="mix")(input="x", output="mixed")
    model |= ml.Tanh()(input="mixed", output="h")
    model |= ml.Transpose()(input="table", output="columns")
    model |= ml.MatrixMultiply()(left="h", right="columns", output="out")
    model |= ml.SquaredError()(input="out", target="y", output="losses")
    return model


def tied_data(rng: np.random.Generator, batch: int) -> Data:
    ids = rng.integers(0, 11, (batch, 5))
    ids[:, 1] = ids[:, 0]  # an id twice in a sample
    return {"ids": ids, "y": rng.standard_normal((batch, 5, 11))}


def recurrent() -> ml.Model:
    """Three steps of an LSTM, whose weights are used in each step."""
    model = ml.Model()
    inputs = {f"input{i}": f"x{i}" for i in range(3)}
    model |= ml.ManyToOne(ml.LSTMCell(), max_sequence_length=3)(
        **inputs,
        initial_hidden="h",
        initial_cell="c",
        w_out=ml.IOKey("w_out", shape=[2, 4], differentiable=True),
        output2="out",
    )
    model |= ml.SquaredError()(input="out", target="y", output="losses")
    return model


def recurrent_data(rng: np.random.Generator, batch: int) -> Data:
    data = {f"x{i}": rng.standard_normal((batch, 1, 3)) for i in range(3)}
    data |= {name: rng.standard_normal((batch, 1, 4)) for name in ("h", "c")}
    return data | {"y": rng.standard_normal((batch, 1, 2))}


def attention() -> ml.Model:
    """One block of a transformer with a mask of [B, 1, 1, T]."""
    heads, width = 2, 8
    model = ml.Model()
    for name in ("query", "key", "value"):
        model |= ml.Linear(width, name=name)(input="x", output=name + "_flat")
        model |= ml.Reshape(shape=(-1, 4, heads, width // heads))(
            input=name + "_flat", output=name + "_split"
        )
        model |= ml.Transpose(axes=(0, 2, 1, 3))(input=name + "_split", output=name + "_heads")
    model |= ml.ScaledDotProduct(is_causal=False, use_attn_mask=True)(
        query="query_heads",
        key="key_heads",
        value="value_heads",
        attn_mask="mask",
        output="mixed",
    )
    model |= ml.Transpose(axes=(0, 2, 1, 3))(input="mixed", output="back")
    model |= ml.Reshape(shape=(-1, 4, width))(input="back", output="joined")
    model |= ml.Linear(width, name="proj")(input="joined", output="p")
    model |= ml.Add()(left="p", right="x", output="r")
    model |= ml.LayerNorm(name="norm")(input="r", output="n")
    model |= ml.Linear(3, name="head")(input="n", output="out")
    model |= ml.SquaredError()(input="out", target="y", output="losses")
    return model


def attention_data(rng: np.random.Generator, batch: int) -> Data:
    mask = np.where(np.arange(4) < rng.integers(1, 5, (batch, 1)), 0.0, -1e9)
    return {
        "x": rng.standard_normal((batch, 4, 8)),
        "mask": mask[:, None, None, :],
        "y": rng.standard_normal((batch, 4, 3)),
    }


def time_first() -> ml.Model:
    """[B, T, D] becomes [T * B, D] in between."""
    net = ml.Model()
    net |= ml.Transpose(axes=(1, 0, 2))(input="x")
    net += ml.Flatten(start_dim=0, end_dim=1)
    net += ml.Linear(6)
    net += ml.Tanh()
    net += ml.Linear(2)
    net += ml.Reshape(shape=(3, -1, 2))
    net += ml.Transpose(axes=(1, 0, 2))(output="out")
    return with_losses(net, x="x")


def weight_function() -> ml.Model:
    """A weight that ops compute from parameters, so that backward ops follow the gradient of the
    weight."""
    model = ml.Model()
    model |= ml.Tanh()(input=ml.IOKey("v", shape=[4, 6], differentiable=True), output="bounded")
    model |= ml.Multiply()(
        left="bounded", right=ml.IOKey("g", shape=[4, 1], differentiable=True), output="w"
    )
    model |= ml.Transpose()(input="w", output="columns")
    model |= ml.MatrixMultiply()(left="x", right="columns", output="out")
    model |= ml.SquaredError()(input="out", target="y", output="losses")
    return model


def residual_block() -> ml.Model:
    """A block of a ResNet whose batch norm uses its running statistics."""
    model = ml.Model()
    model |= ml.Conv2d(filters=4, kernel_size=3, padding=1, name="conv")(input="x", output="a")
    model |= ml.BatchNorm2D(name="bn", inference=True)(input="a", output="b")
    model |= ml.Relu()(input="b", output="c")
    model |= ml.Add()(left="c", right="x", output="out")
    model |= ml.SquaredError()(input="out", target="y", output="losses")
    return model


CASES = {
    "mlp": Case(mlp, regression((8,), (5,)), {"x": [None, 8]}),
    "mlp of rank 3": Case(mlp, regression((4, 8), (4, 5)), {"x": [None, 4, 8]}),
    "norms": Case(norms, regression((4, 8), (4, 3)), {"x": [None, 4, 8]}),
    "convolutions": Case(convolutions, regression((2, 9, 7), (3,)), {"x": [None, 2, 9, 7]}),
    "transposed convolutions": Case(
        transposed_convolutions, regression((2, 6), (3, 12)), {"x": [None, 2, 6]}
    ),
    "transposed images": Case(
        transposed_images, regression((2, 4, 3), (2, 5, 3)), {"x": [None, 2, 4, 3]}
    ),
    "tied": Case(tied, tied_data, {"ids": [None, 5]}),
    "recurrent": Case(
        recurrent,
        recurrent_data,
        {
            **{f"x{i}": [None, 1, 3] for i in range(3)},
            "h": [None, 1, 4],
            "c": [None, 1, 4],
            "y": [None, 1, 2],
        },
    ),
    "attention": Case(
        attention,
        attention_data,
        {"x": [None, 4, 8], "mask": [None, 1, 1, 4]},
    ),
    "BERT block": Case(bert_block, bert_data),
    "GPT-2": Case(gpt2_of_two_layers, gpt2_data),
    "time first": Case(time_first, regression((3, 4), (3, 2)), {"x": [None, 3, 4]}),
    "weight function": Case(weight_function, regression((6,), (4,)), {"x": [None, 6]}),
    "residual block": Case(
        residual_block, regression((4, 5, 5), (4, 5, 5)), {"x": [None, 4, 5, 5]}
    ),
}


def host(value: Any) -> np.ndarray[Any, Any]:
    """Converts a value, which may be a tensor of torch, to an array of NumPy."""
    return np.asarray(value.detach().numpy() if hasattr(value, "detach") else value)


class Compiled:
    """A compiled case, with parameters, and a state that is not the initial one."""

    def __init__(self, case: Case, backend: Any) -> None:
        rng = np.random.default_rng(0)
        self.case = case
        keys = set(case.data(rng, 1))
        self.on_torch = isinstance(backend, ml.TorchBackend)
        self.model = ml.compile(case.model(), backend, shapes=case.shapes, data_keys=keys)
        self.params = self.model.get_parameters(3)
        state = {key: host(value) + 0.25 for key, value in self.model.initial_state_dict.items()}
        self.state = {"state": self.arrays(state)} if state else {}

    def arrays(self, data: Data) -> dict[str, Any]:
        """Returns the data as arrays of the backend."""
        if not self.on_torch:
            return dict(data)
        torch = pytest.importorskip("torch")
        return {key: torch.tensor(value) for key, value in data.items()}

    def samples(self, **options: Any) -> ml.PerSample:
        return ml.PerSample(self.model, losses="losses", **options)

    def gradients(self, data: Data) -> list[dict[str, np.ndarray[Any, Any]]]:
        """Evaluates each sample by itself, and returns its gradients."""
        found = []
        for i in range(len(data["y"])):
            one = self.arrays({key: value[i : i + 1] for key, value in data.items()})
            outputs = self.model.evaluate(self.params, one, **self.state)
            losses = outputs[0]["losses"] if self.state else outputs["losses"]
            ones = self.arrays({"losses": np.ones_like(host(losses))})
            made = self.model.evaluate(self.params, one, output_gradients=ones, **self.state)
            found.append({key: host(value) for key, value in made[1].items()})
        return found
