"""Gemma: https://arxiv.org/abs/2403.08295. A Llama with GELU, wide heads, scaled embeddings, and
norms whose weights are offsets from 1."""

from dataclasses import dataclass

from mithril.architectures import llama
from mithril.architectures.llama import attention, perceptron

import mithril as ml


@dataclass
class Config(llama.Config):
    """The fields of `config.json`; the defaults are those of gemma-2b."""

    vocab_size: int = 256000
    hidden_size: int = 2048
    intermediate_size: int = 16384
    num_hidden_layers: int = 18
    num_attention_heads: int = 8
    num_key_value_heads: int = 1
    head_dim: int = 256
    hidden_act: str = "gelu_pytorch_tanh"
    rms_norm_eps: float = 1e-6
    max_position_embeddings: int = 8192
    tie_word_embeddings: bool = True


NAMES = llama.NAMES


def norm(x, config, name):
    weight = ml.IOKey(f"{name}.weight", shape=[config.hidden_size], differentiable=True)
    return ml.RMSNorm(use_scale=False, eps=config.rms_norm_eps)(x) * (1 + weight)


def block(x, context, config, name):
    y = norm(x, config, f"{name}.input_layernorm")
    x = x + attention(y, context, config, f"{name}.self_attn")
    y = norm(x, config, f"{name}.post_attention_layernorm")
    return x + perceptron(y, config, f"{name}.mlp")


def gemma(config, limit=None):
    """Ports: as llama."""
    scale = config.hidden_size**0.5
    return llama.decoder(config, limit, block=block, norm=norm, embedding_scale=scale)
