"""BART: Lewis et al., https://arxiv.org/abs/1910.13461."""

from dataclasses import dataclass

from mithril.architectures.pretrained import activation

import mithril as ml


@dataclass
class Config:
    """The fields of `config.json`; the defaults are those of bart-large."""

    vocab_size: int = 50265
    max_position_embeddings: int = 1024
    d_model: int = 1024
    encoder_layers: int = 12
    encoder_attention_heads: int = 16
    encoder_ffn_dim: int = 4096
    decoder_layers: int = 12
    decoder_attention_heads: int = 16
    decoder_ffn_dim: int = 4096
    activation_function: str = "gelu"
    scale_embedding: bool = False


# Hugging Face's names: ours.
NAMES = {
    r"^model\.": "",
    r"(encoder|decoder)\.embed_tokens\.weight": None,  # shared.weight
    r"final_logits_bias": None,  # zeros
    r"lm_head\.weight": None,  # shared.weight
}
OFFSET = 2  # the first rows of the positions are not used


def norm(x, name):
    return ml.LayerNorm(name=name)(x)


def in_heads(x, heads):
    """[N, L, heads * D] as [N, heads, L, D]."""
    return x.reshape((x.shape[0], x.shape[1], heads, -1)).transpose((0, 2, 1, 3))


def attention(x, memory, mask, heads, config, *, is_causal, name):
    size = config.d_model
    q = in_heads(ml.Linear(size, name=f"{name}.q_proj")(x), heads)
    k = in_heads(ml.Linear(size, name=f"{name}.k_proj")(memory), heads)
    v = in_heads(ml.Linear(size, name=f"{name}.v_proj")(memory), heads)
    attend = ml.ScaledDotProduct(is_causal=is_causal, use_attn_mask=True)
    y = attend(query=q, key=k, value=v, attn_mask=mask).transpose((0, 2, 1, 3))
    joined = y.reshape((x.shape[0], x.shape[1], size))
    return ml.Linear(size, name=f"{name}.out_proj")(joined)


def perceptron(x, hidden_size, config, name):
    hidden = ml.Linear(hidden_size, name=f"{name}.fc1")(x)
    hidden = activation(config.activation_function)(hidden)
    return ml.Linear(config.d_model, name=f"{name}.fc2")(hidden)


def encoder_block(x, mask, config, name):
    heads = config.encoder_attention_heads
    y = attention(x, x, mask, heads, config, is_causal=False, name=f"{name}.self_attn")
    x = norm(x + y, f"{name}.self_attn_layer_norm")
    y = perceptron(x, config.encoder_ffn_dim, config, name)
    return norm(x + y, f"{name}.final_layer_norm")


def decoder_block(x, mask, memory, memory_mask, *, config, name):
    heads = config.decoder_attention_heads
    y = attention(x, x, mask, heads, config, is_causal=True, name=f"{name}.self_attn")
    x = norm(x + y, f"{name}.self_attn_layer_norm")
    y = attention(
        x, memory, memory_mask, heads, config, is_causal=False, name=f"{name}.encoder_attn"
    )
    x = norm(x + y, f"{name}.encoder_attn_layer_norm")
    y = perceptron(x, config.decoder_ffn_dim, config, name)
    return norm(x + y, f"{name}.final_layer_norm")


def embedded(words, config, name):
    """The embeddings of words [N, L, d_model] with those of their positions."""
    rows = OFFSET + config.max_position_embeddings
    places = ml.Embedding(rows, dim=config.d_model, name=f"{name}.embed_positions")
    if config.scale_embedding:
        words = words * config.d_model**0.5
    x = words + places(ml.Arange(start=OFFSET)(OFFSET + words.shape[1]))
    return norm(x, f"{name}.layernorm_embedding")


def bart(config):
    """Ports: input_ids and attention_mask [N, L], decoder_input_ids and decoder_attention_mask
    [N, M] (masks: True: a token, False: padding), logits [N, M, vocab_size]."""
    ids = ml.IOKey("input_ids", type=ml.Tensor[int], shape=["N", "L"])
    mask = ml.IOKey("attention_mask", type=ml.Tensor[bool], shape=["N", "L"])
    target = ml.IOKey("decoder_input_ids", type=ml.Tensor[int], shape=["N", "M"])
    target_mask = ml.IOKey("decoder_attention_mask", type=ml.Tensor[bool], shape=["N", "M"])
    mask, target_mask = mask[:, None, None], target_mask[:, None, None]

    tokens = ml.Embedding(config.vocab_size, dim=config.d_model, name="shared")
    memory = embedded(tokens(ids), config, "encoder")
    for i in range(config.encoder_layers):
        memory = encoder_block(memory, mask, config, f"encoder.layers.{i}")

    x = embedded(ml.Embedding()(input=target, weight=tokens.weight), config, "decoder")
    for i in range(config.decoder_layers):
        x = decoder_block(x, target_mask, memory, mask, config=config, name=f"decoder.layers.{i}")
    return ml.Model.create(logits=ml.Linear(use_bias=False)(input=x, weight=tokens.weight))
