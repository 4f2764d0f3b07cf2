"""The models that the servers serve, as modules of PyTorch with random weights."""

from __future__ import annotations

from pathlib import Path

import torch
from safetensors.torch import load_file
from torch import nn
from transformers import BertConfig, BertModel

from benchmarks.serve.models import SIZES


class Mlp(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 256), nn.ReLU(), nn.Linear(256, 10)
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layers(x)


class SentenceEncoder(nn.Module):
    """The mean of the hidden states of tokens, of length 1."""

    def __init__(self, attention: str = "sdpa") -> None:
        super().__init__()
        config = BertConfig(**SIZES, attn_implementation=attention)
        self.bert = BertModel(config, add_pooling_layer=False)

    def forward(self, ids: torch.Tensor, types: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        attention = mask.to(torch.int64)
        hidden = self.bert(ids, attention, types).last_hidden_state
        weights = mask.to(hidden.dtype)[:, :, None]
        mean = (hidden * weights).sum(1) / weights.sum(1)
        return mean / (mean * mean).sum(-1, keepdim=True).sqrt()


def prepared_module(name: str, folder: Path) -> nn.Module:
    """The module of a workload with the weights that `prepare` wrote."""
    if name == "mlp":
        mlp = Mlp()
        mlp.load_state_dict(load_file(folder / "mlp.safetensors"))
        return mlp.eval()
    encoder = SentenceEncoder()
    encoder.bert.load_state_dict(load_file(folder / "minilm" / "model.safetensors"))
    return encoder.eval()
