"""Mistral 7B: Jiang et al., https://arxiv.org/abs/2310.06825. A Llama that attends to the last
`sliding_window` tokens."""

from dataclasses import dataclass

from mithril.architectures import llama


@dataclass
class Config(llama.Config):
    """The fields of `config.json`; the defaults are those of Mistral-7B-v0.1."""

    intermediate_size: int = 14336
    num_key_value_heads: int = 8
    max_position_embeddings: int = 32768
    sliding_window: int | None = 4096


NAMES = llama.NAMES


def mistral(config, limit=None):
    """Ports: as llama."""
    return llama.decoder(config, limit, window=config.sliding_window)
