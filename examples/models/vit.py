"""ViT: Dosovitskiy et al., https://arxiv.org/abs/2010.11929."""

from dataclasses import dataclass, field

from mithril.architectures.pretrained import activation

import mithril as ml


@dataclass
class Config:
    """The fields of `config.json`; the defaults are those of vit-base-patch16-224."""

    image_size: int = 224
    patch_size: int = 16
    num_channels: int = 3
    hidden_size: int = 768
    intermediate_size: int = 3072
    num_hidden_layers: int = 12
    num_attention_heads: int = 12
    hidden_act: str = "gelu"
    layer_norm_eps: float = 1e-12
    qkv_bias: bool = True
    id2label: dict = field(default_factory=lambda: dict.fromkeys(range(1000)))


# Hugging Face's names: ours.
NAMES = {
    r"^vit\.": "",
    r"pooler\..*": None,  # not read by the classifier
}


def norm(x, config, name):
    return ml.LayerNorm(eps=config.layer_norm_eps, name=name)(x)


def in_heads(x, config):
    """[N, L, heads * D] as [N, heads, L, D]."""
    split = (x.shape[0], x.shape[1], config.num_attention_heads, -1)
    return x.reshape(split).transpose((0, 2, 1, 3))


def attention(x, config, name):
    size, bias = config.hidden_size, config.qkv_bias
    q, k, v = (
        in_heads(ml.Linear(size, use_bias=bias, name=f"{name}.attention.{part}")(x), config)
        for part in ("query", "key", "value")
    )
    heads = ml.ScaledDotProduct(is_causal=False)(query=q, key=k, value=v)
    joined = heads.transpose((0, 2, 1, 3)).reshape((x.shape[0], x.shape[1], size))
    return ml.Linear(size, name=f"{name}.output.dense")(joined)


def perceptron(x, config, name):
    hidden = ml.Linear(config.intermediate_size, name=f"{name}.intermediate.dense")(x)
    hidden = activation(config.hidden_act)(hidden)
    return ml.Linear(config.hidden_size, name=f"{name}.output.dense")(hidden)


def block(x, config, name):
    x = x + attention(norm(x, config, f"{name}.layernorm_before"), config, f"{name}.attention")
    return x + perceptron(norm(x, config, f"{name}.layernorm_after"), config, name)


def embeddings(image, config):
    """A class token, then the patches, each with its position."""
    size, patch = config.hidden_size, config.patch_size
    project = ml.Conv2d(
        patch, filters=size, stride=patch, name="embeddings.patch_embeddings.projection"
    )
    patches = ml.Flatten(start_dim=2)(project(image)).transpose((0, 2, 1))
    count = (config.image_size // patch) ** 2
    token = ml.IOKey("embeddings.cls_token", shape=[1, 1, size], differentiable=True)
    positions = ml.IOKey(
        "embeddings.position_embeddings", shape=[1, 1 + count, size], differentiable=True
    )
    tokens = ml.BroadcastTo()(token, (image.shape[0], 1, size))
    return ml.Concat(axis=1)([tokens, patches]) + positions


def vit(config):
    """Ports: pixel_values [N, num_channels, image_size, image_size], logits [N, classes]."""
    size = config.image_size
    image = ml.IOKey("pixel_values", shape=["N", config.num_channels, size, size])
    x = embeddings(image, config)
    for i in range(config.num_hidden_layers):
        x = block(x, config, f"encoder.layer.{i}")
    x = norm(x, config, "layernorm")
    logits = ml.Linear(len(config.id2label), name="classifier")(x[:, 0])
    return ml.Model.create(logits=logits)
