"""Modules of torch that `ml.from_torch` converts."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812 - as everyone writes it
from torch import nn


@dataclass
class Case:
    module: Callable[[], nn.Module]
    inputs: tuple
    train: bool = False
    tolerance: float = 1e-10


class Of(nn.Module):
    """A module out of a function."""

    def __init__(self, function: Callable) -> None:
        super().__init__()
        self._function = function

    def forward(self, x):
        return self._function(x)


class OfTwo(Of):
    def forward(self, x, y):
        return self._function(x, y)


def mlp() -> nn.Module:
    return nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 8), nn.Tanh(), nn.Linear(8, 3))


def cnn() -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(2, 4, 3, padding=1),
        nn.BatchNorm2d(4),
        nn.ReLU(inplace=True),
        nn.MaxPool2d(2),
        nn.Conv2d(4, 6, (3, 2), stride=(1, 2), bias=False),
        nn.BatchNorm2d(6, affine=False),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(6, 3),
    )


def shared() -> nn.Module:
    layer = nn.Linear(4, 4)
    return nn.Sequential(layer, nn.ReLU(), layer)


class Block(nn.Module):
    """A block of a transformer in the style of GPT: views, a buffer as mask, shared weights."""

    def __init__(self, length: int = 16, width: int = 8, heads: int = 2, words: int = 11) -> None:
        super().__init__()
        self.heads = heads
        self.words = nn.Embedding(words, width)
        self.places = nn.Parameter(torch.randn(length, width))
        self.norm = nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width)
        self.project = nn.Linear(width, width)
        self.feed = nn.Sequential(nn.LayerNorm(width), nn.Linear(width, 16), nn.GELU("tanh"))
        self.back = nn.Linear(16, width)
        self.head = nn.Linear(width, words, bias=False)
        self.head.weight = self.words.weight
        self.register_buffer("mask", torch.tril(torch.ones(1, 1, length, length)))

    def forward(self, ids):
        count, length = ids.shape
        x = self.words(ids) + self.places[:length]
        q, k, v = self.qkv(self.norm(x)).chunk(3, dim=-1)
        q = q.view(count, length, self.heads, -1).transpose(1, 2)
        k = k.view(count, length, self.heads, -1).transpose(1, 2)
        v = v.view(count, length, self.heads, -1).transpose(1, 2)
        scores = (q @ k.transpose(-2, -1)) / math.sqrt(k.size(-1))
        scores = scores.masked_fill(self.mask[:, :, :length, :length] == 0, float("-inf"))
        y = (F.softmax(scores, dim=-1) @ v).transpose(1, 2).contiguous()
        x = x + self.project(y.view(count, length, -1))
        return self.head(x + self.back(self.feed(x)))


class Residual(nn.Module):
    """In-place changes, and the tensors that share memory."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(4, 4)
        self.relu = nn.ReLU(inplace=True)

    def forward(self, x):
        y = self.first(x)
        self.relu(y)
        z = y + x
        z += y
        z.add_(x, alpha=0.5).sub_(1.0)
        return z + y


class Branches(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.ModuleDict({"left": nn.Linear(4, 3), "right": nn.Linear(4, 3)})
        self.scale = nn.Parameter(torch.randn(3))
        self.register_buffer("shift", torch.randn(3))
        self.constant = torch.randn(3)

    def forward(self, x, y):
        left, right = self.encoder["left"](x), self.encoder["right"](y)
        both = torch.cat([left * self.scale, right + self.shift], dim=-1)
        return {"both": both, "mean": both.mean(dim=1, keepdim=True), "left": left - self.constant}


def normal(*shape: int) -> torch.Tensor:
    return torch.randn(*shape, dtype=torch.float64, generator=torch.Generator().manual_seed(0))


def encoder_layer(**options: Any) -> nn.Module:
    return nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, **options)


X, PLANE, ROW = normal(3, 4), normal(2, 4, 6, 6), normal(2, 4, 7)
SEQUENCE = normal(2, 5, 8)

NETWORKS = {
    "mlp": Case(mlp, (X,)),
    "cnn_in_evaluation": Case(cnn, (normal(3, 2, 8, 8),)),
    "cnn_in_training": Case(cnn, (normal(3, 2, 8, 8),), train=True),
    "transformer_block": Case(Block, (torch.tensor([[1, 2, 3], [3, 0, 10]]),)),
    "residual_in_place": Case(Residual, (X,)),
    "branches": Case(Branches, (X, X + 1)),
    "shared_layer": Case(shared, (X,)),
    "encoder_layer": Case(lambda: encoder_layer(batch_first=True), (SEQUENCE,)),
    "encoder_layer_in_training": Case(lambda: encoder_layer(activation="gelu"), (SEQUENCE,), True),
    "encoder": Case(
        lambda: nn.TransformerEncoder(
            encoder_layer(norm_first=True), 2, nn.LayerNorm(8), enable_nested_tensor=False
        ),
        (SEQUENCE,),
        train=True,
    ),
}

LAYERS = {
    "linear": Case(lambda: nn.Linear(4, 2, bias=False), (X,)),
    "conv1d": Case(lambda: nn.Conv1d(4, 6, 3, padding="same", groups=2, dilation=2), (ROW,)),
    "conv1d_even_kernel": Case(lambda: nn.Conv1d(4, 2, 4, padding="same"), (ROW,)),
    "conv2d": Case(lambda: nn.Conv2d(4, 2, (2, 3), (1, 2), (0, 1), (2, 1)), (PLANE,)),
    "conv2d_valid": Case(lambda: nn.Conv2d(4, 2, 3, padding="valid"), (PLANE,)),
    "batch_norm1d": Case(lambda: nn.BatchNorm1d(4), (X,), True),
    "batch_norm1d_rows": Case(lambda: nn.BatchNorm1d(4, momentum=0.2), (ROW,), True),
    "batch_norm2d": Case(lambda: nn.BatchNorm2d(4, eps=0.1, momentum=0.3), (PLANE,), True),
    "batch_norm_untracked": Case(lambda: nn.BatchNorm2d(4, track_running_stats=False), (PLANE,)),
    "layer_norm": Case(lambda: nn.LayerNorm(4, bias=False), (X,)),
    "layer_norm_planes": Case(lambda: nn.LayerNorm([6, 6]), (PLANE,)),
    "rms_norm": Case(lambda: nn.RMSNorm(4, eps=1e-6), (X,)),
    "group_norm": Case(lambda: nn.GroupNorm(2, 4), (PLANE,)),
    "instance_norm": Case(lambda: nn.InstanceNorm2d(4, affine=True), (PLANE,)),
    "max_pool1d": Case(lambda: nn.MaxPool1d(3, 2, 1), (ROW,)),
    "max_pool2d": Case(lambda: nn.MaxPool2d((2, 3), stride=1, padding=1), (PLANE,)),
    "avg_pool1d": Case(lambda: nn.AvgPool1d(2), (ROW,)),
    "avg_pool2d": Case(lambda: nn.AvgPool2d(3, 2, 1, count_include_pad=False), (PLANE,)),
    "adaptive_pool": Case(lambda: nn.AdaptiveAvgPool2d((3, 2)), (PLANE,)),
    "adaptive_pool1d": Case(lambda: nn.AdaptiveAvgPool1d(1), (ROW,)),
    "embedding": Case(lambda: nn.Embedding(5, 3), (torch.tensor([[0, 4], [4, 1]]),)),
    "attention": Case(lambda: nn.MultiheadAttention(8, 2, batch_first=True), (SEQUENCE,) * 3),
    "attention_across": Case(
        lambda: nn.MultiheadAttention(8, 2, bias=False, kdim=4, vdim=3),
        (SEQUENCE, normal(6, 5, 4), normal(6, 5, 3)),
    ),
    "embedding_with_padding": Case(
        lambda: nn.Embedding(5, 3, padding_idx=4), (torch.tensor([[0, 4], [4, 1]]),)
    ),
    "transposed": Case(lambda: nn.ConvTranspose2d(4, 2, 3), (PLANE,)),
    "transposed_with_all": Case(
        lambda: nn.ConvTranspose2d(4, 6, (2, 3), (3, 2), (1, 0), (2, 1), 2, False, (2, 1)), (PLANE,)
    ),
    "upsample": Case(lambda: nn.Upsample(scale_factor=(2, 3)), (PLANE,)),
    "squared_error": Case(nn.MSELoss, (X, X * 2)),
    "absolute_error": Case(lambda: nn.L1Loss(reduction="sum"), (X, X * 2)),
    "cross_entropy": Case(nn.CrossEntropyLoss, (X, torch.tensor([3, 0, 1]))),
    "dropout_in_evaluation": Case(lambda: nn.Dropout(0.5), (X,)),
    "instance_norm1d": Case(lambda: nn.InstanceNorm1d(4), (ROW,)),
    "channel_dropout": Case(
        lambda: nn.Sequential(nn.Dropout1d(), nn.Unflatten(1, (2, 2)), nn.Dropout2d()),
        (ROW,),
    ),
    "softmaxes": Case(lambda: nn.Sequential(nn.Softmax(1), nn.LogSoftmax(0)), (X,)),
    "unflatten": Case(lambda: nn.Unflatten(1, (2, 2)), (PLANE,)),
    "prelu": Case(nn.PReLU, (X,)),
}

ACTIVATIONS = {
    kind.__name__: Case(kind, (X,))
    for kind in (
        *(nn.ReLU, nn.ReLU6, nn.LeakyReLU, nn.GELU, nn.SiLU, nn.Mish, nn.ELU, nn.SELU),
        *(nn.Softplus, nn.Softsign, nn.LogSigmoid, nn.Hardtanh, nn.Sigmoid, nn.Tanh, nn.Identity),
    )
}
# Torch computes their slopes with a sixth in float32.
ACTIVATIONS["Hardsigmoid"] = Case(nn.Hardsigmoid, (X,), tolerance=1e-7)
ACTIVATIONS["Hardswish"] = Case(nn.Hardswish, (X,), tolerance=1e-7)
ACTIVATIONS["hard_functions"] = Case(
    lambda: Of(lambda x: F.hardsigmoid(x) + F.hardswish(x)), (X,), tolerance=1e-7
)
