"""BERT in PyTorch, with the names of the parameters of Hugging Face, for torch.jit.script; and its
packages, compared on the backends."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import torch
from mithril.packages.huggingface import create_package
from torch import nn

import mithril as ml

BASE = {
    "model_type": "bert",
    "vocab_size": 30522,
    "max_position_embeddings": 512,
    "type_vocab_size": 2,
    "hidden_size": 768,
    "intermediate_size": 3072,
    "num_hidden_layers": 12,
    "num_attention_heads": 12,
    "hidden_act": "gelu",
    "layer_norm_eps": 1e-12,
}
SMALL = BASE | {
    "vocab_size": 97,
    "max_position_embeddings": 128,
    "hidden_size": 24,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 3,
}
INPUTS = [
    ("input_ids", ml.int64, ["N", "L"]),
    ("token_type_ids", ml.int64, ["N", "L"]),
    ("attention_mask", ml.bool_, ["N", "L"]),
]
OUTPUTS = ["last_hidden_state", "pooler_output"]


class Residual(nn.Module):
    """A linear layer, the sum with its residual, and a layer norm."""

    def __init__(self, inside: int, fields: dict[str, Any]) -> None:
        super().__init__()
        size = fields["hidden_size"]
        self.dense = nn.Linear(inside, size)
        self.LayerNorm = nn.LayerNorm(size, eps=fields["layer_norm_eps"])

    def forward(self, x: torch.Tensor, residual: torch.Tensor) -> torch.Tensor:
        return self.LayerNorm(self.dense(x) + residual)


class Projections(nn.Module):
    def __init__(self, size: int) -> None:
        super().__init__()
        self.query = nn.Linear(size, size)
        self.key = nn.Linear(size, size)
        self.value = nn.Linear(size, size)


class Layer(nn.Module):
    def __init__(self, fields: dict[str, Any]) -> None:
        super().__init__()
        size, inside = fields["hidden_size"], fields["intermediate_size"]
        self.heads = int(fields["num_attention_heads"])
        self.attention = nn.ModuleDict(
            {"self": Projections(size), "output": Residual(size, fields)}
        )
        self.intermediate = nn.ModuleDict({"dense": nn.Linear(size, inside)})
        self.output = Residual(inside, fields)

    def split(self, x: torch.Tensor) -> torch.Tensor:
        return x.view(x.shape[0], x.shape[1], self.heads, -1).transpose(1, 2)

    def forward(self, x: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        projections = self.attention["self"]
        q, k = self.split(projections.query(x)), self.split(projections.key(x))
        v = self.split(projections.value(x))
        scores = q @ k.transpose(2, 3) / float(q.shape[3]) ** 0.5 + bias
        joined = (scores.softmax(-1) @ v).transpose(1, 2).reshape(x.shape)
        x = self.attention["output"](joined, x)
        hidden = nn.functional.gelu(self.intermediate["dense"](x))
        return self.output(hidden, x)


class Embeddings(nn.Module):
    def __init__(self, fields: dict[str, Any]) -> None:
        super().__init__()
        size, places = fields["hidden_size"], fields["max_position_embeddings"]
        self.word_embeddings = nn.Embedding(fields["vocab_size"], size)
        self.position_embeddings = nn.Embedding(places, size)
        self.token_type_embeddings = nn.Embedding(fields["type_vocab_size"], size)
        self.LayerNorm = nn.LayerNorm(size, eps=fields["layer_norm_eps"])
        self.register_buffer("position_ids", torch.arange(places))

    def forward(self, ids: torch.Tensor, types: torch.Tensor) -> torch.Tensor:
        places = self.position_embeddings(self.position_ids[: ids.shape[1]])
        return self.LayerNorm(
            self.word_embeddings(ids) + places + self.token_type_embeddings(types)
        )


class Bert(nn.Module):
    """fields: those of config.json."""

    def __init__(self, fields: dict[str, Any]) -> None:
        super().__init__()
        layers = [Layer(fields) for _ in range(fields["num_hidden_layers"])]
        self.embeddings = Embeddings(fields)
        self.encoder = nn.ModuleDict({"layer": nn.ModuleList(layers)})
        self.pooler = nn.ModuleDict(
            {"dense": nn.Linear(fields["hidden_size"], fields["hidden_size"])}
        )

    def forward(
        self, input_ids: torch.Tensor, token_type_ids: torch.Tensor, attention_mask: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        x = self.embeddings(input_ids, token_type_ids)
        bias = torch.zeros(attention_mask.shape, dtype=x.dtype, device=x.device)
        bias = bias.masked_fill(~attention_mask, -1e9)[:, None, None]
        for layer in self.encoder["layer"]:
            x = layer(x, bias)
        return x, torch.tanh(self.pooler["dense"](x[:, 0]))


def random_bert(fields: dict[str, Any], seed: int = 0) -> Bert:
    """Weights as Hugging Face draws them, with norms and biases that differ from 1 and 0."""
    torch.manual_seed(seed)
    module = Bert(fields).eval()
    with torch.no_grad():
        for name, parameter in module.named_parameters():
            shift = 1.0 if name.endswith("LayerNorm.weight") else 0.0
            parameter.copy_(shift + 0.02 * torch.randn(parameter.shape))
    return module


def batches(fields: dict[str, Any]) -> dict[str, dict[str, np.ndarray[Any, Any]]]:
    """Returns batches of 1, 6 and 128 tokens, and a padded batch of these lengths."""
    random = np.random.default_rng(0)

    def batch(*lengths: int) -> dict[str, np.ndarray[Any, Any]]:
        shape = (len(lengths), max(lengths))
        return {
            "input_ids": random.integers(fields["vocab_size"], size=shape),
            "token_type_ids": random.integers(2, size=shape),
            "attention_mask": np.arange(shape[1]) < np.array(lengths)[:, None],
        }

    single = {f"{length} tokens": batch(length) for length in (1, 6, 128)}
    return single | {"a padded batch": batch(128, 6, 1)}


def package_runs(folder: Path, module: Bert, fields: dict[str, Any], save: Any) -> dict[str, Any]:
    """Functions of inputs to outputs, of two packages: one of config.json with the safetensors
    that `save(path, tensors)` writes, and one of TorchScript."""
    (folder / "checkpoint").mkdir()
    (folder / "checkpoint" / "config.json").write_text(json.dumps(fields))
    weights = {
        key: value for key, value in module.state_dict().items() if "position_ids" not in key
    }
    save(folder / "checkpoint" / "model.safetensors", weights)
    create_package(folder / "checkpoint", folder / "bert")
    size = fields["hidden_size"]
    outputs = [(OUTPUTS[0], ml.float32, ["N", "L", size]), (OUTPUTS[1], ml.float32, ["N", size])]
    scripted = torch.jit.script(module)
    ml.save_torchscript_package(folder / "scripted.zip", scripted, INPUTS, outputs)
    package = ml.load_package(folder / "bert")
    script = ml.load_package(folder / "scripted.zip", allow_native_code=True)
    compiled = {
        "the CPU backend": package.compile(ml.CpuBackend()),
        "the Torch backend": package.compile(ml.TorchBackend()),
        "TorchScript": script.compile(ml.TorchBackend()),
    }
    return {name: lambda data, own=own: own.evaluate({}, data) for name, own in compiled.items()}


def disagreements(
    folder: Path, fields: dict[str, Any], save: Any, tolerance: float = 1e-4
) -> list[str]:
    """A line for each output of a package that differs from that of the module, where the mask is
    set."""
    module = random_bert(fields)
    runs = package_runs(folder, module, fields, save)
    wrong = []
    for label, data in batches(fields).items():
        with torch.no_grad():
            results = module(*(torch.from_numpy(data[name]) for name, *_ in INPUTS))
        for name, run in runs.items():
            got = run(data)
            for key, expected in zip(OUTPUTS, results, strict=True):
                places = data["attention_mask"] if key == OUTPUTS[0] else ...
                difference = np.abs(np.asarray(got[key])[places] - expected.numpy()[places]).max()
                if not difference <= tolerance:
                    wrong.append(f"{name}, {label}, {key}: {difference}, expected {tolerance}")
    return wrong
