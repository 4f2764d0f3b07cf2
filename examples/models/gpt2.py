"""GPT-2: Radford et al., "Language Models are Unsupervised Multitask Learners", 2019."""

from dataclasses import dataclass
from typing import ClassVar

from mithril.architectures.pretrained import Context, activation

import mithril as ml


@dataclass
class Config:
    """The fields of `config.json`; the defaults are those of gpt2 (124 M parameters)."""

    requires: ClassVar = {
        "scale_attn_weights": True,
        "scale_attn_by_inverse_layer_idx": False,
        "tie_word_embeddings": True,
    }

    vocab_size: int = 50257
    n_positions: int = 1024
    n_embd: int = 768
    n_layer: int = 12
    n_head: int = 12
    activation_function: str = "gelu_new"
    layer_norm_epsilon: float = 1e-5


# Hugging Face's names: ours. The projections are stored as [inputs, outputs] there.
NAMES = {
    r"^transformer\.": "",
    r"lm_head\.weight": None,  # the embedding of the tokens
    r"h\.\d+\.attn\.(bias|masked_bias)": None,  # the causal mask
}
TRANSPOSED = r"h\.\d+\.(attn|mlp)\.c_\w+\.weight"


def in_heads(x, config):
    """[N, L, heads * D] as [N, heads, 1, L, D]."""
    split = (x.shape[0], x.shape[1], config.n_head, 1, -1)
    return x.reshape(split).transpose((0, 2, 3, 1, 4))


def attention(x, context, config, name):
    qkv = ml.Linear(3 * config.n_embd, name=f"{name}.c_attn")(x)
    q, k, v = (in_heads(part, config) for part in ml.Split(3, axis=-1)(qkv))
    heads = context.attend(q, k, v).transpose((0, 3, 1, 2, 4))
    joined = heads.reshape((x.shape[0], x.shape[1], config.n_embd))
    return ml.Linear(config.n_embd, name=f"{name}.c_proj")(joined)


def perceptron(x, config, name):
    hidden = ml.Linear(4 * config.n_embd, name=f"{name}.c_fc")(x)
    hidden = activation(config.activation_function)(hidden)
    return ml.Linear(config.n_embd, name=f"{name}.c_proj")(hidden)


def norm(x, config, name):
    return ml.LayerNorm(eps=config.layer_norm_epsilon, name=name)(x)


def block(x, context, config, name):
    x = x + attention(norm(x, config, f"{name}.ln_1"), context, config, f"{name}.attn")
    return x + perceptron(norm(x, config, f"{name}.ln_2"), config, f"{name}.mlp")


def gpt2(config, limit=None):
    """Ports: input_ids [N, L], attention_mask [N, L] (True: a token, False: padding), logits
    [N, L, vocab_size]. With a limit the model has a cache of as many tokens, and logits
    [N, 1, vocab_size] are those after the last token."""
    ids = ml.IOKey("input_ids", type=ml.Tensor[int], shape=["N", "L"])
    mask = ml.IOKey("attention_mask", type=ml.Tensor[bool], shape=["N", "L"])
    tokens = ml.Embedding(config.vocab_size, dim=config.n_embd, name="wte")
    positions = ml.Embedding(config.n_positions, dim=config.n_embd, name="wpe")
    context = Context(mask, limit)
    x = tokens(ids) + positions(context.positions)
    for i in range(config.n_layer):
        x = block(x, context, config, f"h.{i}")
    x = norm(context.read(x), config, "ln_f")
    logits = ml.Linear(use_bias=False)(input=x, weight=tokens.weight)
    return ml.Model.create(logits=logits)
