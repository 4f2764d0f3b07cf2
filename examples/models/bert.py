"""BERT: Devlin et al., https://arxiv.org/abs/1810.04805. MiniLM is a BERT of other sizes."""

from dataclasses import dataclass
from typing import ClassVar

from mithril.architectures.pretrained import activation

import mithril as ml


@dataclass
class Config:
    """The fields of `config.json`; the defaults are those of bert-base-uncased."""

    requires: ClassVar = {"position_embedding_type": "absolute", "is_decoder": False}

    vocab_size: int = 30522
    max_position_embeddings: int = 512
    type_vocab_size: int = 2
    hidden_size: int = 768
    intermediate_size: int = 3072
    num_hidden_layers: int = 12
    num_attention_heads: int = 12
    hidden_act: str = "gelu"
    layer_norm_eps: float = 1e-12


MINILM_L6 = Config(hidden_size=384, intermediate_size=1536, num_hidden_layers=6)

# Hugging Face's names: ours.
NAMES = {
    r"^bert\.": "",
    r"embeddings\.position_ids": None,  # 0, 1, 2, ...
    r"cls\..*": None,  # the heads of the pretraining
    r"LayerNorm\.gamma$": "LayerNorm.weight",
    r"LayerNorm\.beta$": "LayerNorm.bias",
}


def linear(x, size, name):
    return ml.Linear(size, name=name)(x)


def norm(x, config, name):
    return ml.LayerNorm(eps=config.layer_norm_eps, name=name)(x)


def in_heads(x, config):
    """[N, L, heads * D] as [N, heads, L, D]."""
    split = (x.shape[0], x.shape[1], config.num_attention_heads, -1)
    return x.reshape(split).transpose((0, 2, 1, 3))


def attention(x, mask, config, name):
    size = config.hidden_size
    q = in_heads(linear(x, size, f"{name}.self.query"), config)
    k = in_heads(linear(x, size, f"{name}.self.key"), config)
    v = in_heads(linear(x, size, f"{name}.self.value"), config)
    attend = ml.ScaledDotProduct(is_causal=False, use_attn_mask=True)
    heads = attend(query=q, key=k, value=v, attn_mask=mask).transpose((0, 2, 1, 3))
    joined = heads.reshape((x.shape[0], x.shape[1], size))
    return linear(joined, size, f"{name}.output.dense")


def perceptron(x, config, name):
    hidden = linear(x, config.intermediate_size, f"{name}.intermediate.dense")
    hidden = activation(config.hidden_act)(hidden)
    return linear(hidden, config.hidden_size, f"{name}.output.dense")


def block(x, mask, config, name):
    x = x + attention(x, mask, config, f"{name}.attention")
    x = norm(x, config, f"{name}.attention.output.LayerNorm")
    return norm(x + perceptron(x, config, name), config, f"{name}.output.LayerNorm")


def embeddings(ids, types, config):
    size = config.hidden_size
    words = ml.Embedding(config.vocab_size, dim=size, name="embeddings.word_embeddings")
    places = ml.Embedding(
        config.max_position_embeddings, dim=size, name="embeddings.position_embeddings"
    )
    kinds = ml.Embedding(config.type_vocab_size, dim=size, name="embeddings.token_type_embeddings")
    x = words(ids) + places(ml.Arange()(ids.shape[1])) + kinds(types)
    return norm(x, config, "embeddings.LayerNorm")


def inputs():
    """input_ids, token_type_ids and attention_mask."""
    types = {"input_ids": int, "token_type_ids": int, "attention_mask": bool}
    return [ml.IOKey(name, type=ml.Tensor[t], shape=["N", "L"]) for name, t in types.items()]


def hidden_states(ids, types, mask, config):
    x = embeddings(ids, types, config)
    for i in range(config.num_hidden_layers):
        x = block(x, mask[:, None, None], config, f"encoder.layer.{i}")
    return x


def bert(config):
    """Ports: input_ids, token_type_ids, attention_mask [N, L] (True: a token, False: padding),
    last_hidden_state [N, L, hidden_size], pooler_output [N, hidden_size]."""
    x = hidden_states(*inputs(), config)
    pooled = ml.Tanh()(linear(x[:, 0], config.hidden_size, "pooler.dense"))
    return ml.Model.create(last_hidden_state=x, pooler_output=pooled)


def mean_pooled(hidden, mask):
    """Means over the hidden states of tokens, of length 1."""
    weights = mask.cast(ml.float32)[:, :, None]
    mean = (hidden * weights).sum(1) / weights.sum(1)
    return mean / (mean * mean).sum(-1, True).sqrt()


def sentence_encoder(config):
    """Sentence embeddings, as those of MiniLM. Ports: input_ids, token_type_ids, attention_mask
    [N, L], embedding [N, hidden_size]."""
    ids, types, mask = inputs()
    return ml.Model.create(embedding=mean_pooled(hidden_states(ids, types, mask, config), mask))
