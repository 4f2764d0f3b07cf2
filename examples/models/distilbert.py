"""DistilBERT: Sanh et al., https://arxiv.org/abs/1910.01108."""

from dataclasses import dataclass

from mithril.architectures.pretrained import activation

import mithril as ml


@dataclass
class Config:
    """The fields of `config.json`; the defaults are those of distilbert-base-uncased."""

    vocab_size: int = 30522
    max_position_embeddings: int = 512
    dim: int = 768
    hidden_dim: int = 3072
    n_layers: int = 6
    n_heads: int = 12
    activation: str = "gelu"


# Hugging Face's names: ours.
NAMES = {
    r"^distilbert\.": "",
    r"^transformer\.": "",
    r"vocab_\w+\..*": None,  # the head of the pretraining
}


def norm(x, name):
    return ml.LayerNorm(eps=1e-12, name=name)(x)


def in_heads(x, config):
    """[N, L, heads * D] as [N, heads, L, D]."""
    return x.reshape((x.shape[0], x.shape[1], config.n_heads, -1)).transpose((0, 2, 1, 3))


def attention(x, mask, config, name):
    q, k, v = (
        in_heads(ml.Linear(config.dim, name=f"{name}.{part}_lin")(x), config) for part in "qkv"
    )
    attend = ml.ScaledDotProduct(is_causal=False, use_attn_mask=True)
    heads = attend(query=q, key=k, value=v, attn_mask=mask).transpose((0, 2, 1, 3))
    joined = heads.reshape((x.shape[0], x.shape[1], config.dim))
    return ml.Linear(config.dim, name=f"{name}.out_lin")(joined)


def perceptron(x, config, name):
    hidden = activation(config.activation)(ml.Linear(config.hidden_dim, name=f"{name}.lin1")(x))
    return ml.Linear(config.dim, name=f"{name}.lin2")(hidden)


def block(x, mask, config, name):
    x = norm(x + attention(x, mask, config, f"{name}.attention"), f"{name}.sa_layer_norm")
    return norm(x + perceptron(x, config, f"{name}.ffn"), f"{name}.output_layer_norm")


def distilbert(config):
    """Ports: input_ids [N, L], attention_mask [N, L] (True: a token, False: padding),
    last_hidden_state [N, L, dim]."""
    ids = ml.IOKey("input_ids", type=ml.Tensor[int], shape=["N", "L"])
    mask = ml.IOKey("attention_mask", type=ml.Tensor[bool], shape=["N", "L"])
    words = ml.Embedding(config.vocab_size, dim=config.dim, name="embeddings.word_embeddings")
    places = ml.Embedding(
        config.max_position_embeddings, dim=config.dim, name="embeddings.position_embeddings"
    )
    x = norm(words(ids) + places(ml.Arange()(ids.shape[1])), "embeddings.LayerNorm")
    for i in range(config.n_layers):
        x = block(x, mask[:, None, None], config, f"layer.{i}")
    return ml.Model.create(last_hidden_state=x)
