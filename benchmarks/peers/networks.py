"""The measured models in PyTorch.

Attributes that hold weights have the short names under which the runner, the JAX transcription and
the prepared folders know the weights: "l" layers, "e" embedding, "p" positions, "n" norms of rows,
"c" convolutions, "b" batch norms, "d" the way beside a block, "f" the feed-forward network, "a"
attention with "qkv" before and "o" behind it, "fc" and "lm" what gives classes and tokens.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import torch
from torch import nn

functional = nn.functional
MASKED = -1e9


class Mlp(nn.Module):
    def __init__(self, sizes: Sequence[int]) -> None:
        super().__init__()
        self.l = nn.ModuleList(nn.Linear(before, after) for before, after in pairwise(sizes))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for layer in self.l[:-1]:
            x = torch.relu(layer(x))
        return self.l[-1](x)


class GeluChain(nn.Module):
    def forward(self, x: torch.Tensor, residual: torch.Tensor) -> torch.Tensor:
        return functional.gelu(x * 1.1 + 0.3) * 0.7 + residual


def shortcut(before: int, after: int, stride: int) -> nn.Module:
    """The shortcut of a block: the input, or a convolution if the shapes differ."""
    if stride == 1 and before == after:
        return nn.Identity()
    return nn.Sequential(nn.Conv2d(before, after, 1, stride, bias=False), nn.BatchNorm2d(after))


class BasicBlock(nn.Module):
    """Two convolutions of 3 by 3."""

    expansion = 1

    def __init__(self, before: int, width: int, stride: int) -> None:
        super().__init__()
        self.c1 = nn.Conv2d(before, width, 3, stride, 1, bias=False)
        self.b1 = nn.BatchNorm2d(width)
        self.c2 = nn.Conv2d(width, width, 3, 1, 1, bias=False)
        self.b2 = nn.BatchNorm2d(width)
        self.d = shortcut(before, width, stride)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        hidden = torch.relu(self.b1(self.c1(x)))
        return torch.relu(self.b2(self.c2(hidden)) + self.d(x))


class Bottleneck(nn.Module):
    """A convolution of 3 by 3 between two of 1 by 1."""

    expansion = 4

    def __init__(self, before: int, width: int, stride: int) -> None:
        super().__init__()
        after = width * self.expansion
        self.c1 = nn.Conv2d(before, width, 1, bias=False)
        self.b1 = nn.BatchNorm2d(width)
        self.c2 = nn.Conv2d(width, width, 3, stride, 1, bias=False)
        self.b2 = nn.BatchNorm2d(width)
        self.c3 = nn.Conv2d(width, after, 1, bias=False)
        self.b3 = nn.BatchNorm2d(after)
        self.d = shortcut(before, after, stride)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        hidden = torch.relu(self.b1(self.c1(x)))
        hidden = torch.relu(self.b2(self.c2(hidden)))
        return torch.relu(self.b3(self.c3(hidden)) + self.d(x))


class ResNet(nn.Module):
    def __init__(self, block: type[BasicBlock] | type[Bottleneck], counts: Sequence[int]) -> None:
        super().__init__()
        self.c = nn.Conv2d(3, 64, 7, 2, 3, bias=False)
        self.b = nn.BatchNorm2d(64)
        blocks: list[nn.Module] = []
        channels = 64
        for stage, count in enumerate(counts):
            width = 64 << stage
            for index in range(count):
                blocks.append(block(channels, width, 2 if stage > 0 and index == 0 else 1))
                channels = width * block.expansion
        self.body = nn.Sequential(*blocks)
        self.fc = nn.Linear(channels, 1000)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = functional.max_pool2d(torch.relu(self.b(self.c(x))), 3, 2, 1)
        return self.fc(self.body(x).mean((2, 3)))


@dataclass(frozen=True)
class TransformerSize:
    vocabulary: int
    width: int
    heads: int
    layers: int
    positions: int
    is_gpt: bool = False  # norms before the sublayers, causal, and logits at the end


class Attention(nn.Module):
    def __init__(self, size: TransformerSize, fused: bool) -> None:
        super().__init__()
        self.qkv = nn.Linear(size.width, 3 * size.width)
        self.o = nn.Linear(size.width, size.width)
        self.heads, self.is_causal, self.fused = size.heads, size.is_gpt, fused

    def mixed(self, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
        if self.fused:
            return functional.scaled_dot_product_attention(
                query, key, value, is_causal=self.is_causal
            )
        scores = query @ key.transpose(-1, -2) * (1 / math.sqrt(query.shape[-1]))
        if self.is_causal:
            tokens = query.shape[-2]
            mask = torch.full((tokens, tokens), MASKED, dtype=scores.dtype)
            scores = scores + torch.triu(mask, 1)
        return torch.softmax(scores, -1) @ value

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, tokens, width = x.shape
        by_heads = (batch, tokens, self.heads, width // self.heads)
        query, key, value = (
            part.reshape(by_heads).transpose(1, 2) for part in self.qkv(x).split(width, 2)
        )
        mixed = self.mixed(query, key, value).transpose(1, 2)
        return self.o(mixed.reshape(batch, tokens, width))


class TransformerLayer(nn.Module):
    def __init__(self, size: TransformerSize, fused: bool) -> None:
        super().__init__()
        self.a = Attention(size, fused)
        self.n1 = nn.LayerNorm(size.width)
        self.n2 = nn.LayerNorm(size.width)
        self.f1 = nn.Linear(size.width, 4 * size.width)
        self.f2 = nn.Linear(4 * size.width, size.width)
        self.norm_first = size.is_gpt

    def feed_forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.f2(functional.gelu(self.f1(x)))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.norm_first:
            x = x + self.a(self.n1(x))
            return x + self.feed_forward(self.n2(x))
        x = self.n1(x + self.a(x))
        return self.n2(x + self.feed_forward(x))


class Transformer(nn.Module):
    def __init__(self, size: TransformerSize, fused: bool = False) -> None:
        super().__init__()
        self.e = nn.Embedding(size.vocabulary, size.width)
        self.p = nn.Parameter(torch.randn(size.positions, size.width) * 0.02)
        self.l = nn.Sequential(*[TransformerLayer(size, fused) for _ in range(size.layers)])
        self.n = nn.LayerNorm(size.width)
        self.lm = nn.Linear(size.width, size.vocabulary, bias=False) if size.is_gpt else None

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = self.n(self.l(self.e(tokens) + self.p[: tokens.shape[1]]))
        return x if self.lm is None else self.lm(x)
