"""Small text models: a tokenizer of characters, language models and folders of Hugging Face."""

import importlib
import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pretrained
import safetensors.numpy

import mithril as ml

# The program of ChatML in checkpoints.
CHATML_PROGRAM = (
    "{% for message in messages %}{{'<|im_start|>' + message['role'] + '\n' + message['content'] + "
    "'<|im_end|>' + '\n'}}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}"
    "{% endif %}"
)
# The special tokens of the families, each one token.
SPECIAL = ["<s>", "</s>", "<|im_start|>", "<|im_end|>"]
SIZE = 128 + len(SPECIAL)
SIZES = {
    "gpt2": {"vocab_size": SIZE, "n_positions": 64, "n_embd": 24, "n_layer": 2, "n_head": 3},
    "llama": {
        "vocab_size": SIZE,
        "hidden_size": 32,
        "intermediate_size": 44,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "max_position_embeddings": 96,
        "bos_token_id": 128,
        "eos_token_id": 129,
    },
}
BERT = {
    "vocab_size": 7,
    "max_position_embeddings": 16,
    "hidden_size": 24,
    "intermediate_size": 40,
    "num_hidden_layers": 2,
    "num_attention_heads": 3,
}
PREFIX = {"bert": "bert.", "gpt2": "transformer.", "llama": "model."}


class Characters:
    """A token for each character of ASCII, and one for each special token."""

    def encode(self, text: str) -> list[int]:
        tokens = []
        while text:
            special = next((name for name in SPECIAL if text.startswith(name)), None)
            tokens.append(128 + SPECIAL.index(special) if special else min(ord(text[0]), 127))
            text = text[len(special or text[0]) :]
        return tokens

    def decode(self, tokens: list[int]) -> str:
        return "".join(chr(token) for token in tokens if token < 128)


class Utf8:
    """A token for each byte of UTF-8: characters arrive in parts."""

    def encode(self, text: str) -> list[int]:
        return list(text.encode())

    def decode(self, tokens: list[int]) -> str:
        return bytes(tokens).decode(errors="replace")


def following_model(tokens: list[int], size: int = SIZE) -> tuple[ml.CompiledModel, dict[str, Any]]:
    """A language model after which each of these tokens follows the one before it."""
    net = ml.Model()
    net |= ml.Embedding(size, dim=size)(input="input_ids", output="logits")
    compiled = ml.compile(net, ml.CpuBackend(), data_keys=["input_ids"], inference=True)
    follows = np.zeros((size, size), np.float32)
    for before, token in itertools.pairwise(tokens):
        follows[before, token] = 1
    [key] = compiled.parameter_keys
    return compiled, {key: follows}


def random_model() -> tuple[ml.CompiledModel, dict[str, Any]]:
    """A language model of random weights, whose tokens depend on the one before."""
    net = ml.Model()
    net |= ml.Embedding(SIZE, dim=16)(input="input_ids", output="hidden")
    net |= ml.Linear(SIZE)(input="hidden", output="logits")
    compiled = ml.compile(net, ml.CpuBackend(), data_keys=["input_ids"], inference=True)
    params = {key: 4 * np.asarray(value) for key, value in compiled.randomize_params(3).items()}
    return compiled, params


def write_folder(folder: Path, kind: str, **files: Any) -> None:
    """Writes a folder of Hugging Face with random weights. Each of `files` is a JSON file, whose
    name has _ in the place of its ending."""
    example = importlib.import_module(kind)
    sizes = BERT if kind == "bert" else SIZES[kind]
    config = pretrained.config_from(example.Config, sizes)
    compiled = ml.compile(getattr(example, kind)(config), ml.CpuBackend(), inference=True)
    rng = np.random.default_rng(1)
    weights = {}
    for name, array in compiled.randomize_params(3).items():
        value = np.asarray(array) + rng.normal(0, 0.2, array.shape).astype(np.float32)
        turned = kind == "gpt2" and name.split(".")[-2] in {"c_attn", "c_proj", "c_fc"}
        value = np.ascontiguousarray(value.T) if turned and name.endswith("weight") else value
        weights[f"{'' if name.startswith('lm_head') else PREFIX[kind]}{name}"] = value
    folder.mkdir(exist_ok=True)
    safetensors.numpy.save_file(weights, folder / "model.safetensors")
    (folder / "config.json").write_text(json.dumps({"model_type": kind, **sizes}))
    for name, fields in files.items():
        (folder / f"{name}.json").write_text(json.dumps(fields))
