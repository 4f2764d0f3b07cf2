"""RoBERTa: Liu et al., https://arxiv.org/abs/1907.11692. A BERT whose positions count tokens, not
padding."""

from dataclasses import dataclass

from mithril.architectures import bert
from mithril.architectures.bert import block, norm

import mithril as ml


@dataclass
class Config(bert.Config):
    """The fields of `config.json`; the defaults are those of roberta-base."""

    vocab_size: int = 50265
    max_position_embeddings: int = 514
    type_vocab_size: int = 1
    layer_norm_eps: float = 1e-5
    pad_token_id: int = 1


# Hugging Face's names: ours.
NAMES = {
    r"^roberta\.": "",
    r"embeddings\.position_ids": None,  # counted here
    r"lm_head\..*": None,  # the head of the pretraining
}


def embeddings(ids, config):
    """The first token has the position after that of padding, `pad_token_id`."""
    size, name = config.hidden_size, "embeddings"
    words = ml.Embedding(config.vocab_size, dim=size, name=f"{name}.word_embeddings")
    places = ml.Embedding(
        config.max_position_embeddings, dim=size, name=f"{name}.position_embeddings"
    )
    kinds = ml.Embedding(config.type_vocab_size, dim=size, name=f"{name}.token_type_embeddings")
    is_token = ids.ne(config.pad_token_id).cast(ml.int64)
    positions = ml.Cumsum(axis=1)(is_token) * is_token + config.pad_token_id
    x = words(ids) + places(positions) + kinds(ml.ZerosLike()(ids))
    return norm(x, config, f"{name}.LayerNorm")


def roberta(config):
    """Ports: input_ids [N, L], attention_mask [N, L] (True: a token, False: padding),
    last_hidden_state [N, L, hidden_size]."""
    ids = ml.IOKey("input_ids", type=ml.Tensor[int], shape=["N", "L"])
    mask = ml.IOKey("attention_mask", type=ml.Tensor[bool], shape=["N", "L"])
    x = embeddings(ids, config)
    for i in range(config.num_hidden_layers):
        x = block(x, mask[:, None, None], config, f"encoder.layer.{i}")
    return ml.Model.create(last_hidden_state=x)
