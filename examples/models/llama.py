"""Llama: Touvron et al., https://arxiv.org/abs/2302.13971 and https://arxiv.org/abs/2307.09288."""

from dataclasses import dataclass

from mithril.architectures import rotary
from mithril.architectures.pretrained import Context, activation

import mithril as ml


@dataclass
class Config:
    """The fields of `config.json`; the defaults are those of Llama-2-7b."""

    vocab_size: int = 32000
    hidden_size: int = 4096
    intermediate_size: int = 11008
    num_hidden_layers: int = 32
    num_attention_heads: int = 32
    num_key_value_heads: int = 32
    head_dim: int | None = None
    hidden_act: str = "silu"
    rms_norm_eps: float = 1e-5
    max_position_embeddings: int = 4096
    rope_theta: float = 10000.0
    rope_scaling: dict | None = None
    rope_parameters: dict | None = None
    original_max_position_embeddings: int | None = None
    tie_word_embeddings: bool = False

    def __post_init__(self):
        self.head_dim = self.head_dim or self.hidden_size // self.num_attention_heads
        self.rope_theta = rotary.rotation(self).theta


# Hugging Face's names: ours.
NAMES = {
    r"^model\.": "",
    r"layers\.\d+\.self_attn\.rotary_emb\.inv_freq": None,
}


def linear(x, size, name):
    return ml.Linear(size, use_bias=False, name=name)(x)


def norm(x, config, name):
    return ml.RMSNorm(eps=config.rms_norm_eps, name=name)(x)


def rotate(x, context, config):
    return rotary.rotation(config)(x, context.positions[:, None, None])


def in_heads(x, count, groups):
    """[N, L, groups * count * D] as [N, groups, count, L, D]."""
    split = (x.shape[0], x.shape[1], groups, count, -1)
    return x.reshape(split).transpose((0, 2, 3, 1, 4))


def attention(x, context, config, name):
    """A group of heads has a query each, and one key and one value."""
    groups, width = config.num_key_value_heads, config.head_dim
    heads = config.num_attention_heads // groups
    q = in_heads(linear(x, groups * heads * width, f"{name}.q_proj"), heads, groups)
    k = in_heads(linear(x, groups * width, f"{name}.k_proj"), 1, groups)
    v = in_heads(linear(x, groups * width, f"{name}.v_proj"), 1, groups)
    q, k = rotate(q, context, config), rotate(k, context, config)
    result = context.attend(q, k, v).transpose((0, 3, 1, 2, 4))
    joined = result.reshape((x.shape[0], x.shape[1], groups * heads * width))
    return linear(joined, config.hidden_size, f"{name}.o_proj")


def perceptron(x, config, name):
    """SwiGLU: https://arxiv.org/abs/2002.05202."""
    gate = activation(config.hidden_act)(linear(x, config.intermediate_size, f"{name}.gate_proj"))
    up = linear(x, config.intermediate_size, f"{name}.up_proj")
    return linear(gate * up, config.hidden_size, f"{name}.down_proj")


def block(x, context, config, name):
    y = norm(x, config, f"{name}.input_layernorm")
    x = x + attention(y, context, config, f"{name}.self_attn")
    y = norm(x, config, f"{name}.post_attention_layernorm")
    return x + perceptron(y, config, f"{name}.mlp")


def decoder(config, limit, window=None, block=block, norm=norm, embedding_scale=None):
    """Ports: input_ids [N, L], attention_mask [N, L] (True: a token, False: padding), logits
    [N, L, vocab_size]. With a limit the model has a cache of as many tokens, and logits
    [N, 1, vocab_size] are those after the last token. Where `window` is stated, a token attends to
    as many tokens: itself and those before it."""
    ids = ml.IOKey("input_ids", type=ml.Tensor[int], shape=["N", "L"])
    mask = ml.IOKey("attention_mask", type=ml.Tensor[bool], shape=["N", "L"])
    tokens = ml.Embedding(config.vocab_size, dim=config.hidden_size, name="embed_tokens")
    context = Context(mask, limit, window)
    x = tokens(ids)
    if embedding_scale is not None:
        x = x * embedding_scale
    for i in range(config.num_hidden_layers):
        x = block(x, context, config, f"layers.{i}")
    x = norm(context.read(x), config, "norm")
    if config.tie_word_embeddings:
        logits = ml.Linear(use_bias=False)(input=x, weight=tokens.weight)
    else:
        logits = linear(x, config.vocab_size, "lm_head")
    return ml.Model.create(logits=logits)


def llama(config, limit=None):
    return decoder(config, limit)
