"""Qwen2: Yang et al., https://arxiv.org/abs/2407.10671. A Llama with biases in the projections of
queries, keys and values."""

from dataclasses import dataclass
from typing import ClassVar

from mithril.architectures import llama
from mithril.architectures.llama import in_heads, linear, norm, perceptron, rotate

import mithril as ml


@dataclass
class Config(llama.Config):
    """The fields of `config.json`; the defaults are those of Qwen2-0.5B."""

    requires: ClassVar = {"use_sliding_window": False}

    vocab_size: int = 151936
    hidden_size: int = 896
    intermediate_size: int = 4864
    num_hidden_layers: int = 24
    num_attention_heads: int = 14
    num_key_value_heads: int = 2
    rms_norm_eps: float = 1e-6
    max_position_embeddings: int = 131072
    rope_theta: float = 1000000.0
    tie_word_embeddings: bool = True


NAMES = llama.NAMES


def attention(x, context, config, name):
    """A group of heads has a query each, and one key and one value."""
    groups, width = config.num_key_value_heads, config.head_dim
    heads = config.num_attention_heads // groups
    q = ml.Linear(groups * heads * width, name=f"{name}.q_proj")(x)
    k = ml.Linear(groups * width, name=f"{name}.k_proj")(x)
    v = ml.Linear(groups * width, name=f"{name}.v_proj")(x)
    q = rotate(in_heads(q, heads, groups), context, config)
    k = rotate(in_heads(k, 1, groups), context, config)
    result = context.attend(q, k, in_heads(v, 1, groups))
    joined = result.transpose((0, 3, 1, 2, 4)).reshape(
        (x.shape[0], x.shape[1], groups * heads * width)
    )
    return linear(joined, config.hidden_size, f"{name}.o_proj")


def block(x, context, config, name):
    y = norm(x, config, f"{name}.input_layernorm")
    x = x + attention(y, context, config, f"{name}.self_attn")
    y = norm(x, config, f"{name}.post_attention_layernorm")
    return x + perceptron(y, config, f"{name}.mlp")


def qwen2(config, limit=None):
    """Ports: as llama."""
    return llama.decoder(config, limit, block=block)
