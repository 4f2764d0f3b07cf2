"""Small transformers of examples/models for the tests of ml.PerSample."""

from __future__ import annotations

from typing import Any

import numpy as np
from bert import Config as BertConfig  # type: ignore[import-not-found, unused-ignore]
from bert import bert
from gpt2 import Config as Gpt2Config  # type: ignore[import-not-found, unused-ignore]
from gpt2 import gpt2

import mithril as ml

Data = dict[str, np.ndarray[Any, Any]]
LENGTH, VOCABULARY, WIDTH = 5, 13, 8


def with_losses(net: ml.Model, out: str, *inputs: str) -> ml.Model:
    """The model with the squared errors of its output `out`."""
    model = ml.Model()
    model |= net(**{key: key for key in inputs}, **{out: "out"})
    model |= ml.SquaredError()(input="out", target="y", output="losses")
    return model


def tokens(rng: np.random.Generator, batch: int) -> Data:
    """Texts of 1 to LENGTH tokens, padded on the right."""
    return {
        "input_ids": rng.integers(0, VOCABULARY, (batch, LENGTH)),
        "attention_mask": np.arange(LENGTH) < rng.integers(1, LENGTH + 1, (batch, 1)),
    }


def bert_block() -> ml.Model:
    """The embeddings of BERT and one block, with a mask of padding."""
    config = BertConfig(
        vocab_size=VOCABULARY,
        max_position_embeddings=LENGTH,
        hidden_size=WIDTH,
        intermediate_size=12,
        num_hidden_layers=1,
        num_attention_heads=2,
    )
    inputs = ("input_ids", "token_type_ids", "attention_mask")
    return with_losses(bert(config), "last_hidden_state", *inputs)


def bert_data(rng: np.random.Generator, batch: int) -> Data:
    return tokens(rng, batch) | {
        "token_type_ids": rng.integers(0, 2, (batch, LENGTH)),
        "y": rng.standard_normal((batch, LENGTH, WIDTH)),
    }


def gpt2_of_two_layers() -> ml.Model:
    """GPT-2, whose embedding is its head."""
    config = Gpt2Config(
        vocab_size=VOCABULARY, n_positions=LENGTH, n_embd=WIDTH, n_layer=2, n_head=2
    )
    return with_losses(gpt2(config), "logits", "input_ids", "attention_mask")


def gpt2_data(rng: np.random.Generator, batch: int) -> Data:
    return tokens(rng, batch) | {"y": rng.standard_normal((batch, LENGTH, VOCABULARY))}
