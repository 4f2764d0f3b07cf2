"""SegFormer: Xie et al., https://arxiv.org/abs/2105.15203."""

from dataclasses import dataclass, field

from mithril.architectures.pretrained import activation

import mithril as ml


@dataclass
class Config:
    """The fields of `config.json`; the defaults are those of segformer-b0-finetuned-ade-512-512."""

    num_channels: int = 3
    depths: list[int] = field(default_factory=lambda: [2, 2, 2, 2])
    sr_ratios: list[int] = field(default_factory=lambda: [8, 4, 2, 1])
    hidden_sizes: list[int] = field(default_factory=lambda: [32, 64, 160, 256])
    patch_sizes: list[int] = field(default_factory=lambda: [7, 3, 3, 3])
    strides: list[int] = field(default_factory=lambda: [4, 2, 2, 2])
    num_attention_heads: list[int] = field(default_factory=lambda: [1, 2, 5, 8])
    mlp_ratios: list[int] = field(default_factory=lambda: [4, 4, 4, 4])
    hidden_act: str = "gelu"
    decoder_hidden_size: int = 256
    classifier_dropout_prob: float = 0.1
    id2label: dict = field(default_factory=lambda: dict.fromkeys(range(150)))


# Hugging Face's names: ours.
NAMES = {
    r"^segformer\.": "",
    r".*\.num_batches_tracked": None,
}


def linear(x, size, name):
    return ml.Linear(size, name=name)(x)


def norm(x, name):
    return ml.LayerNorm(name=name)(x)


def as_sequence(image):
    """[N, C, H, W] as [N, H * W, C]."""
    return ml.Flatten(start_dim=2)(image).transpose((0, 2, 1))


def as_image(x, size):
    """[N, H * W, C] as [N, C, H, W]."""
    return x.transpose((0, 2, 1)).reshape((x.shape[0], x.shape[2], *size))


def in_heads(x, heads):
    """[N, L, heads * D] as [N, heads, L, D]."""
    return x.reshape((x.shape[0], x.shape[1], heads, -1)).transpose((0, 2, 1, 3))


def attention(x, size, stage, config, name):
    """Keys and values are of a smaller image."""
    channels, heads = config.hidden_sizes[stage], config.num_attention_heads[stage]
    ratio, memory = config.sr_ratios[stage], x
    if ratio > 1:
        reduce = ml.Conv2d(ratio, filters=channels, stride=ratio, name=f"{name}.self.sr")
        memory = norm(as_sequence(reduce(as_image(x, size))), f"{name}.self.layer_norm")
    q = in_heads(linear(x, channels, f"{name}.self.query"), heads)
    k = in_heads(linear(memory, channels, f"{name}.self.key"), heads)
    v = in_heads(linear(memory, channels, f"{name}.self.value"), heads)
    y = ml.ScaledDotProduct(is_causal=False)(query=q, key=k, value=v).transpose((0, 2, 1, 3))
    joined = y.reshape((x.shape[0], x.shape[1], channels))
    return linear(joined, channels, f"{name}.output.dense")


def perceptron(x, size, stage, config, name):
    """Its convolution takes the place of encodings of the positions."""
    channels = config.hidden_sizes[stage]
    wide = int(channels * config.mlp_ratios[stage])
    mix = ml.Conv2d(3, filters=wide, padding=1, groups=wide, name=f"{name}.dwconv.dwconv")
    hidden = as_sequence(mix(as_image(linear(x, wide, f"{name}.dense1"), size)))
    return linear(activation(config.hidden_act)(hidden), channels, f"{name}.dense2")


def block(x, size, stage, config, name):
    y = norm(x, f"{name}.layer_norm_1")
    x = x + attention(y, size, stage, config, f"{name}.attention")
    y = norm(x, f"{name}.layer_norm_2")
    return x + perceptron(y, size, stage, config, f"{name}.mlp")


def encoder_stage(image, stage, config):
    """Overlapping patches, then blocks: an image smaller by the stride."""
    patch, name = config.patch_sizes[stage], "encoder.patch_embeddings"
    embed = ml.Conv2d(
        patch,
        filters=config.hidden_sizes[stage],
        stride=config.strides[stage],
        padding=patch // 2,
        name=f"{name}.{stage}.proj",
    )
    image = embed(image)
    size = (image.shape[2], image.shape[3])
    x = norm(as_sequence(image), f"{name}.{stage}.layer_norm")
    for i in range(config.depths[stage]):
        x = block(x, size, stage, config, f"encoder.block.{stage}.{i}")
    return as_image(norm(x, f"encoder.layer_norm.{stage}"), size)


def decode_head(images, config):
    """The images of all stages at the size of the first."""
    channels, scale, levels = config.decoder_hidden_size, 1, []
    for stage, image in enumerate(images):
        x = linear(as_sequence(image), channels, f"decode_head.linear_c.{stage}.proj")
        x = as_image(x, (image.shape[2], image.shape[3]))
        if stage > 0:
            scale *= config.strides[stage]
            x = ml.Upsample(scale, mode="bilinear")(x)
        levels.append(x)
    joined = ml.Concat(axis=1)(levels[::-1])
    fuse = ml.Conv2d(1, filters=channels, use_bias=False, name="decode_head.linear_fuse")
    x = ml.Relu()(ml.BatchNorm2D(name="decode_head.batch_norm")(fuse(joined)))
    x = ml.Dropout(p=config.classifier_dropout_prob)(x)
    return ml.Conv2d(1, filters=len(config.id2label), name="decode_head.classifier")(x)


def segformer(config):
    """Ports: pixel_values [N, num_channels, H, W], logits [N, classes, H / 4, W / 4]. H and W are
    multiples of the product of the strides (32)."""
    image = ml.IOKey("pixel_values", shape=["N", config.num_channels, "H", "W"])
    images = []
    for stage in range(len(config.depths)):
        image = encoder_stage(image, stage, config)
        images.append(image)
    return ml.Model.create(logits=decode_head(images, config))
