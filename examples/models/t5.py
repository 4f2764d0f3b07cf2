"""T5: Raffel et al., https://arxiv.org/abs/1910.10683."""

from dataclasses import dataclass
from math import inf

from mithril.architectures.pretrained import activation

import mithril as ml


@dataclass
class Config:
    """The fields of `config.json`; the defaults are those of t5-small."""

    vocab_size: int = 32128
    d_model: int = 512
    d_kv: int = 64
    d_ff: int = 2048
    num_layers: int = 6
    num_decoder_layers: int | None = None  # as many as num_layers
    num_heads: int = 8
    relative_attention_num_buckets: int = 32
    relative_attention_max_distance: int = 128
    layer_norm_epsilon: float = 1e-6
    feed_forward_proj: str = "relu"
    tie_word_embeddings: bool = True  # False for T5 1.1
    scale_decoder_outputs: bool | None = None  # as tie_word_embeddings

    def __post_init__(self):
        if self.scale_decoder_outputs is None:
            self.scale_decoder_outputs = self.tie_word_embeddings


# Hugging Face's names: ours.
NAMES = {
    r"(encoder|decoder)\.embed_tokens\.weight": None,  # shared.weight
}


def linear(x, size, name):
    return ml.Linear(size, use_bias=False, name=name)(x)


def norm(x, config, name):
    return ml.RMSNorm(eps=config.layer_norm_epsilon, name=name)(x)


def in_heads(x, config):
    """[N, L, heads * D] as [N, heads, L, D]."""
    return x.reshape((x.shape[0], x.shape[1], config.num_heads, -1)).transpose((0, 2, 1, 3))


def attention(x, memory, mask, is_causal, config, name):
    """The mask has bools, or biases that are added to the scores, which are not scaled."""
    size = config.num_heads * config.d_kv
    q = in_heads(linear(x, size, f"{name}.q"), config)
    k = in_heads(linear(memory, size, f"{name}.k"), config)
    v = in_heads(linear(memory, size, f"{name}.v"), config)
    attend = ml.ScaledDotProduct(is_causal=is_causal, scale=1.0, use_attn_mask=True)
    heads = attend(query=q, key=k, value=v, attn_mask=mask).transpose((0, 2, 1, 3))
    joined = heads.reshape((x.shape[0], x.shape[1], size))
    return linear(joined, config.d_model, f"{name}.o")


def perceptron(x, config, name):
    """T5 1.1 has a gate: `gated-gelu`."""
    *gated, function = config.feed_forward_proj.split("-")
    if gated:
        function = {"gelu": "gelu_new"}.get(function, function)
        hidden = activation(function)(linear(x, config.d_ff, f"{name}.wi_0"))
        hidden = hidden * linear(x, config.d_ff, f"{name}.wi_1")
    else:
        hidden = activation(function)(linear(x, config.d_ff, f"{name}.wi"))
    return linear(hidden, config.d_model, f"{name}.wo")


def stack(x, mask, memory, memory_mask, config, name):
    """The encoder, or, with a memory, the decoder. The first block has the biases of all."""
    is_causal = memory is not None
    blocks = config.num_decoder_layers if is_causal else config.num_layers
    biases = ml.RelativePositionBias(
        config.num_heads,
        num_buckets=config.relative_attention_num_buckets,
        max_distance=config.relative_attention_max_distance,
        bidirectional=not is_causal,
        name=f"{name}.block.0.layer.0.SelfAttention.relative_attention_bias",
    )
    bias = biases(x, x)
    bias = ml.Where()(mask[:, None, None], bias, -inf)
    for i in range(blocks or config.num_layers):
        layer = f"{name}.block.{i}.layer"
        y = norm(x, config, f"{layer}.0.layer_norm")
        x = x + attention(y, y, bias, is_causal, config, f"{layer}.0.SelfAttention")
        if is_causal:
            y = norm(x, config, f"{layer}.1.layer_norm")
            allowed = memory_mask[:, None, None]
            x = x + attention(y, memory, allowed, False, config, f"{layer}.1.EncDecAttention")
        last = f"{layer}.{2 if is_causal else 1}"
        y = norm(x, config, f"{last}.layer_norm")
        x = x + perceptron(y, config, f"{last}.DenseReluDense")
    return norm(x, config, f"{name}.final_layer_norm")


def t5(config):
    """Ports: input_ids and attention_mask [N, L], decoder_input_ids and decoder_attention_mask
    [N, M] (masks: True: a token, False: padding), logits [N, M, vocab_size]."""
    ids = ml.IOKey("input_ids", type=ml.Tensor[int], shape=["N", "L"])
    mask = ml.IOKey("attention_mask", type=ml.Tensor[bool], shape=["N", "L"])
    target = ml.IOKey("decoder_input_ids", type=ml.Tensor[int], shape=["N", "M"])
    target_mask = ml.IOKey("decoder_attention_mask", type=ml.Tensor[bool], shape=["N", "M"])
    tokens = ml.Embedding(config.vocab_size, dim=config.d_model, name="shared")
    memory = stack(tokens(ids), mask, None, None, config, "encoder")
    words = ml.Embedding()(input=target, weight=tokens.weight)
    x = stack(words, target_mask, memory, mask, config, "decoder")
    if config.scale_decoder_outputs:
        x = x * config.d_model**-0.5
    if config.tie_word_embeddings:
        logits = ml.Linear(use_bias=False)(input=x, weight=tokens.weight)
    else:
        logits = linear(x, config.vocab_size, "lm_head")
    return ml.Model.create(logits=logits)
