"""The workloads of benchmarks/per_sample.py: each is a model of Mithril and a module of torch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import nn

import mithril as ml

WIDTH, LAYERS = 512, 6
GPT_LAYERS, GPT_WIDTH, HEADS, LENGTH, VOCABULARY = 4, 256, 4, 64, 2000


@dataclass
class Workload:
    """`loss(output, target)` of torch gives the losses of one batch, [B]."""

    name: str
    model: Callable[[], ml.Model]
    module: Callable[[], nn.Module]
    loss: Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
    data: Callable[[np.random.Generator, int], dict[str, np.ndarray[Any, Any]]]
    batch: int
    validation: int
    shapes: dict[str, Any]


def squared(output: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    return ((output - target) ** 2).flatten(1).sum(1)


def class_loss(output: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    return nn.functional.cross_entropy(output, target, reduction="none")


def token_loss(output: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    return nn.functional.cross_entropy(output.transpose(1, 2), target, reduction="none").sum(1)


def linears() -> ml.Model:
    model, key = ml.Model(), "x"
    for i in range(LAYERS):
        model |= ml.Linear(WIDTH, name=f"fc{i}")(input=key, output=f"h{i}")
        key = f"h{i}"
        if i + 1 < LAYERS:
            model |= ml.Relu()(input=key, output=f"a{i}")
            key = f"a{i}"
    model |= ml.SquaredError()(input=key, target="y", output="losses")
    return model


def linear_modules() -> nn.Module:
    layers: list[nn.Module] = []
    for i in range(LAYERS):
        layers += [nn.Linear(WIDTH, WIDTH)] + ([nn.ReLU()] if i + 1 < LAYERS else [])
    return nn.Sequential(*layers)


def linear_workload(batch: int, length: int, validation: int) -> Workload:
    def data(rng: np.random.Generator, samples: int) -> dict[str, np.ndarray[Any, Any]]:
        dims = (samples, length, WIDTH) if length > 1 else (samples, WIDTH)
        return {
            "x": rng.standard_normal(dims, dtype=np.float32),
            "y": rng.standard_normal(dims, dtype=np.float32),
        }

    shape = [None, length, WIDTH] if length > 1 else [None, WIDTH]
    return Workload(
        f"6 linear layers, B={batch}, T={length}, V={validation}",
        linears,
        linear_modules,
        squared,
        data,
        batch,
        validation,
        {"x": shape, "y": shape},
    )


def digits_model() -> ml.Model:
    model = ml.Model()
    model |= ml.Conv2d(filters=16, kernel_size=3, padding=1, name="conv0")(input="x", output="c0")
    model |= ml.Relu()(input="c0", output="r0")
    model |= ml.MaxPool2D(kernel_size=2)(input="r0", output="p0")
    model |= ml.Conv2d(filters=32, kernel_size=3, padding=1, name="conv1")(input="p0", output="c1")
    model |= ml.Relu()(input="c1", output="r1")
    model |= ml.Flatten(start_dim=1)(input="r1", output="f")
    model |= ml.Linear(10, name="fc")(input="f", output="logits")
    model |= ml.CrossEntropy()(input="logits", target="y", output="losses")
    return model


def digits_module() -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(512, 10),
    )


def digits_data(rng: np.random.Generator, samples: int) -> dict[str, np.ndarray[Any, Any]]:
    return {
        "x": rng.standard_normal((samples, 1, 8, 8), dtype=np.float32),
        "y": rng.integers(0, 10, samples),
    }


def in_heads(x: Any) -> Any:
    split = x.reshape((x.shape[0], LENGTH, HEADS, GPT_WIDTH // HEADS))
    return split.transpose((0, 2, 1, 3))


def block(x: Any, name: str) -> Any:
    h = ml.LayerNorm(name=f"{name}.ln_1")(x)
    qkv = ml.Linear(3 * GPT_WIDTH, name=f"{name}.c_attn")(h)
    q, k, v = (in_heads(part) for part in ml.Split(3, axis=-1)(qkv))
    heads = ml.ScaledDotProduct(is_causal=True)(query=q, key=k, value=v)
    joined = heads.transpose((0, 2, 1, 3)).reshape((x.shape[0], LENGTH, GPT_WIDTH))
    x = x + ml.Linear(GPT_WIDTH, name=f"{name}.c_proj")(joined)
    h = ml.LayerNorm(name=f"{name}.ln_2")(x)
    h = ml.Gelu()(ml.Linear(4 * GPT_WIDTH, name=f"{name}.c_fc")(h))
    return x + ml.Linear(GPT_WIDTH, name=f"{name}.c_out")(h)


def gpt_model() -> ml.Model:
    ids = ml.IOKey("x", type=ml.Tensor[int], shape=["N", LENGTH])
    tokens = ml.Embedding(num_embeddings=VOCABULARY, dim=GPT_WIDTH, name="wte")
    positions = ml.IOKey("wpe", shape=[LENGTH, GPT_WIDTH], differentiable=True)
    x = tokens(ids) + positions
    for i in range(GPT_LAYERS):
        x = block(x, f"h{i}")
    x = ml.LayerNorm(name="ln_f")(x)
    logits = ml.Linear(use_bias=False)(input=x, weight=tokens.weight)
    losses = ml.CrossEntropy()(input=logits.transpose((0, 2, 1)), target=ml.IOKey("y"))
    return ml.Model.create(losses=losses)


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.ln_1, self.ln_2 = nn.LayerNorm(GPT_WIDTH), nn.LayerNorm(GPT_WIDTH)
        self.c_attn = nn.Linear(GPT_WIDTH, 3 * GPT_WIDTH)
        self.c_proj = nn.Linear(GPT_WIDTH, GPT_WIDTH)
        self.c_fc = nn.Linear(GPT_WIDTH, 4 * GPT_WIDTH)
        self.c_out = nn.Linear(4 * GPT_WIDTH, GPT_WIDTH)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        split = [
            part.unflatten(-1, (HEADS, -1)).transpose(1, 2)
            for part in self.c_attn(self.ln_1(x)).chunk(3, -1)
        ]
        heads = nn.functional.scaled_dot_product_attention(*split, is_causal=True)
        x = x + self.c_proj(heads.transpose(1, 2).flatten(2))
        return x + self.c_out(nn.functional.gelu(self.c_fc(self.ln_2(x))))


class Gpt(nn.Module):
    """The head is the embedding of the tokens."""

    def __init__(self) -> None:
        super().__init__()
        self.wte = nn.Embedding(VOCABULARY, GPT_WIDTH)
        self.wpe = nn.Parameter(torch.randn(LENGTH, GPT_WIDTH))
        self.blocks = nn.Sequential(*(Block() for _ in range(GPT_LAYERS)))
        self.ln_f = nn.LayerNorm(GPT_WIDTH)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        x = self.ln_f(self.blocks(self.wte(ids) + self.wpe))
        return x @ self.wte.weight.T


def gpt_data(rng: np.random.Generator, samples: int) -> dict[str, np.ndarray[Any, Any]]:
    return {
        "x": rng.integers(0, VOCABULARY, (samples, LENGTH)),
        "y": rng.integers(0, VOCABULARY, (samples, LENGTH)),
    }


WORKLOADS = [
    linear_workload(64, 1, 4),
    linear_workload(32, 32, 4),
    linear_workload(8, 256, 2),
    Workload(
        "digits CNN, B=64",
        digits_model,
        digits_module,
        class_loss,
        digits_data,
        64,
        4,
        {"x": [None, 1, 8, 8]},
    ),
    Workload(
        "GPT-2, 4 layers of 256, T=64, B=8, tied",
        gpt_model,
        Gpt,
        token_loss,
        gpt_data,
        8,
        2,
        {"y": ["N", LENGTH]},
    ),
]
