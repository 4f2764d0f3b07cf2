"""Whisper: Radford et al., https://arxiv.org/abs/2212.04356."""

from dataclasses import dataclass

from mithril.architectures.pretrained import activation

import mithril as ml


@dataclass
class Config:
    """The fields of `config.json`; the defaults are those of whisper-tiny."""

    vocab_size: int = 51865
    num_mel_bins: int = 80
    max_source_positions: int = 1500
    max_target_positions: int = 448
    d_model: int = 384
    encoder_layers: int = 4
    encoder_attention_heads: int = 6
    encoder_ffn_dim: int = 1536
    decoder_layers: int = 4
    decoder_attention_heads: int = 6
    decoder_ffn_dim: int = 1536
    activation_function: str = "gelu"


# Hugging Face's names: ours.
NAMES = {
    r"^model\.": "",
    r"proj_out\.weight": None,  # decoder.embed_tokens.weight
}


def norm(x, name):
    return ml.LayerNorm(name=name)(x)


def in_heads(x, heads):
    """[N, L, heads * D] as [N, heads, L, D]."""
    return x.reshape((x.shape[0], x.shape[1], heads, -1)).transpose((0, 2, 1, 3))


def attention(x, memory, heads, config, *, name, is_causal=False, mask=None):
    size = config.d_model
    q = in_heads(ml.Linear(size, name=f"{name}.q_proj")(x), heads)
    k = in_heads(ml.Linear(size, use_bias=False, name=f"{name}.k_proj")(memory), heads)
    v = in_heads(ml.Linear(size, name=f"{name}.v_proj")(memory), heads)
    attend = ml.ScaledDotProduct(is_causal=is_causal, use_attn_mask=mask is not None)
    y = attend(query=q, key=k, value=v, **({} if mask is None else {"attn_mask": mask}))
    joined = y.transpose((0, 2, 1, 3)).reshape((x.shape[0], x.shape[1], size))
    return ml.Linear(size, name=f"{name}.out_proj")(joined)


def perceptron(x, hidden_size, config, name):
    hidden = ml.Linear(hidden_size, name=f"{name}.fc1")(norm(x, f"{name}.final_layer_norm"))
    hidden = activation(config.activation_function)(hidden)
    return ml.Linear(config.d_model, name=f"{name}.fc2")(hidden)


def encoder_block(x, config, name):
    heads = config.encoder_attention_heads
    y = norm(x, f"{name}.self_attn_layer_norm")
    x = x + attention(y, y, heads, config, name=f"{name}.self_attn")
    return x + perceptron(x, config.encoder_ffn_dim, config, name)


def decoder_block(x, mask, memory, config, name):
    heads = config.decoder_attention_heads
    y = norm(x, f"{name}.self_attn_layer_norm")
    x = x + attention(y, y, heads, config, is_causal=True, mask=mask, name=f"{name}.self_attn")
    y = norm(x, f"{name}.encoder_attn_layer_norm")
    x = x + attention(y, memory, heads, config, name=f"{name}.encoder_attn")
    return x + perceptron(x, config.decoder_ffn_dim, config, name)


def positions(count, config, name):
    return ml.IOKey(
        f"{name}.embed_positions.weight", shape=[count, config.d_model], differentiable=True
    )


def encoder(features, config):
    """Two convolutions over time, the second of which halves it."""
    size, name = config.d_model, "encoder"
    x = ml.Gelu()(ml.Conv1d(3, filters=size, padding=1, name=f"{name}.conv1")(features))
    x = ml.Gelu()(ml.Conv1d(3, filters=size, stride=2, padding=1, name=f"{name}.conv2")(x))
    x = x.transpose((0, 2, 1)) + positions(config.max_source_positions, config, name)
    for i in range(config.encoder_layers):
        x = encoder_block(x, config, f"{name}.layers.{i}")
    return norm(x, f"{name}.layer_norm")


def decoder(ids, mask, memory, config):
    tokens = ml.Embedding(config.vocab_size, dim=config.d_model, name="decoder.embed_tokens")
    places = positions(config.max_target_positions, config, "decoder")
    x = tokens(ids) + places[: ids.shape[1]]
    for i in range(config.decoder_layers):
        x = decoder_block(x, mask[:, None, None], memory, config, f"decoder.layers.{i}")
    x = norm(x, "decoder.layer_norm")
    return ml.Linear(use_bias=False)(input=x, weight=tokens.weight)


def whisper(config):
    """Ports: input_features [N, num_mel_bins, 2 * max_source_positions], decoder_input_ids and
    decoder_attention_mask [N, M] (True: a token, False: padding), logits [N, M, vocab_size]."""
    shape = ["N", config.num_mel_bins, 2 * config.max_source_positions]
    features = ml.IOKey("input_features", shape=shape)
    ids = ml.IOKey("decoder_input_ids", type=ml.Tensor[int], shape=["N", "M"])
    mask = ml.IOKey("decoder_attention_mask", type=ml.Tensor[bool], shape=["N", "M"])
    return ml.Model.create(logits=decoder(ids, mask, encoder(features, config), config))
