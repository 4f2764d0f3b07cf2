"""CLIP: Radford et al., https://arxiv.org/abs/2103.00020."""

from dataclasses import dataclass, field

from mithril.architectures.pretrained import activation, config_from

import mithril as ml


@dataclass
class TextConfig:
    vocab_size: int = 49408
    max_position_embeddings: int = 77
    hidden_size: int = 512
    intermediate_size: int = 2048
    num_hidden_layers: int = 12
    num_attention_heads: int = 8
    hidden_act: str = "quick_gelu"
    layer_norm_eps: float = 1e-5
    eos_token_id: int = 49407

    def __post_init__(self):
        if self.eos_token_id == 2:  # in early checkpoints, whose texts end with the last token
            self.eos_token_id = self.vocab_size - 1


@dataclass
class VisionConfig:
    image_size: int = 224
    patch_size: int = 32
    num_channels: int = 3
    hidden_size: int = 768
    intermediate_size: int = 3072
    num_hidden_layers: int = 12
    num_attention_heads: int = 12
    hidden_act: str = "quick_gelu"
    layer_norm_eps: float = 1e-5


@dataclass
class Config:
    """The fields of `config.json`; the defaults are those of clip-vit-base-patch32."""

    projection_dim: int = 512
    text_config: dict | TextConfig = field(default_factory=TextConfig)
    vision_config: dict | VisionConfig = field(default_factory=VisionConfig)

    def __post_init__(self):
        if isinstance(self.text_config, dict):
            self.text_config = config_from(TextConfig, self.text_config)
        if isinstance(self.vision_config, dict):
            self.vision_config = config_from(VisionConfig, self.vision_config)


# Hugging Face's names: ours.
NAMES = {
    r".*\.position_ids": None,  # 0, 1, 2, ...
    # A checkpoint of CLIPTextModel has the text model at its root.
    r"^(embeddings|encoder|final_layer_norm)\.": r"text_model.\1.",
}


def norm(x, config, name):
    return ml.LayerNorm(eps=config.layer_norm_eps, name=name)(x)


def in_heads(x, config):
    """[N, L, heads * D] as [N, heads, L, D]."""
    split = (x.shape[0], x.shape[1], config.num_attention_heads, -1)
    return x.reshape(split).transpose((0, 2, 1, 3))


def attention(x, mask, config, name):
    """A text, which has a mask, is causal."""
    q, k, v = (
        in_heads(ml.Linear(config.hidden_size, name=f"{name}.{part}_proj")(x), config)
        for part in "qkv"
    )
    if mask is None:
        heads = ml.ScaledDotProduct(is_causal=False)(query=q, key=k, value=v)
    else:
        attend = ml.ScaledDotProduct(is_causal=True, use_attn_mask=True)
        heads = attend(query=q, key=k, value=v, attn_mask=mask)
    joined = heads.transpose((0, 2, 1, 3)).reshape((x.shape[0], x.shape[1], config.hidden_size))
    return ml.Linear(config.hidden_size, name=f"{name}.out_proj")(joined)


def perceptron(x, config, name):
    hidden = ml.Linear(config.intermediate_size, name=f"{name}.fc1")(x)
    hidden = activation(config.hidden_act)(hidden)
    return ml.Linear(config.hidden_size, name=f"{name}.fc2")(hidden)


def transformer(x, mask, config, name):
    for i in range(config.num_hidden_layers):
        block = f"{name}.encoder.layers.{i}"
        y = norm(x, config, f"{block}.layer_norm1")
        x = x + attention(y, mask, config, f"{block}.self_attn")
        y = norm(x, config, f"{block}.layer_norm2")
        x = x + perceptron(y, config, f"{block}.mlp")
    return x


def text_features(ids, mask, config, name="text_model"):
    """The state [N, hidden_size] at the first token that ends a text."""
    size, table = config.hidden_size, f"{name}.embeddings"
    words = ml.Embedding(config.vocab_size, dim=size, name=f"{table}.token_embedding")
    places = ml.Embedding(
        config.max_position_embeddings, dim=size, name=f"{table}.position_embedding"
    )
    x = words(ids) + places(ml.Arange()(ids.shape[1]))
    x = transformer(x, mask[:, None, None], config, name)
    x = norm(x, config, f"{name}.final_layer_norm")
    ends = ids.eq(config.eos_token_id)
    is_first = (ml.Cumsum(axis=1)(ends.cast(ml.int64)).eq(1) & ends)[:, :, None]
    return ml.Where()(is_first, x, 0.0).sum(1)


def image_features(image, config, name="vision_model"):
    """The state [N, hidden_size] at the class token."""
    size, patch, table = config.hidden_size, config.patch_size, f"{name}.embeddings"
    project = ml.Conv2d(
        patch, filters=size, stride=patch, use_bias=False, name=f"{table}.patch_embedding"
    )
    patches = ml.Flatten(start_dim=2)(project(image)).transpose((0, 2, 1))
    token = ml.IOKey(f"{table}.class_embedding", shape=[size], differentiable=True)
    tokens = ml.BroadcastTo()(token, (image.shape[0], 1, size))
    count = 1 + (config.image_size // patch) ** 2
    places = ml.Embedding(count, dim=size, name=f"{table}.position_embedding")
    x = ml.Concat(axis=1)([tokens, patches]) + places(ml.Arange()(count))
    x = norm(x, config, f"{name}.pre_layrnorm")  # so spelled
    x = transformer(x, None, config, name)
    return norm(x[:, 0], config, f"{name}.post_layernorm")


def unit(x):
    return x / (x * x).sum(-1, True).sqrt()


def clip(config):
    """Ports: input_ids and attention_mask [T, L] (True: a token, False: padding), pixel_values
    [N, num_channels, image_size, image_size], text_embeds [T, projection_dim], image_embeds
    [N, projection_dim], logits_per_image [N, T]."""
    text, vision = config.text_config, config.vision_config
    ids = ml.IOKey("input_ids", type=ml.Tensor[int], shape=["T", "L"])
    mask = ml.IOKey("attention_mask", type=ml.Tensor[bool], shape=["T", "L"])
    shape = ["N", vision.num_channels, vision.image_size, vision.image_size]
    image = ml.IOKey("pixel_values", shape=shape)

    projection = ml.Linear(config.projection_dim, use_bias=False, name="text_projection")
    texts = unit(projection(text_features(ids, mask, text)))
    projection = ml.Linear(config.projection_dim, use_bias=False, name="visual_projection")
    images = unit(projection(image_features(image, vision)))
    scale = ml.IOKey("logit_scale", shape=[], differentiable=True)
    return ml.Model.create(
        text_embeds=texts,
        image_embeds=images,
        logits_per_image=(images @ texts.transpose((1, 0))) * scale.exp(),
    )
