"""ResNet: He et al., https://arxiv.org/abs/1512.03385."""

from dataclasses import dataclass, field
from typing import ClassVar

import mithril as ml


@dataclass
class Config:
    """The fields of `config.json`; the defaults are those of resnet-50."""

    requires: ClassVar = {"hidden_act": "relu"}

    num_channels: int = 3
    embedding_size: int = 64
    hidden_sizes: list[int] = field(default_factory=lambda: [256, 512, 1024, 2048])
    depths: list[int] = field(default_factory=lambda: [3, 4, 6, 3])
    layer_type: str = "bottleneck"
    downsample_in_first_stage: bool = False
    downsample_in_bottleneck: bool = False
    id2label: dict = field(default_factory=lambda: dict.fromkeys(range(1000)))


RESNET_18 = Config(hidden_sizes=[64, 128, 256, 512], depths=[2, 2, 2, 2], layer_type="basic")
RESNET_34 = Config(hidden_sizes=[64, 128, 256, 512], depths=[3, 4, 6, 3], layer_type="basic")
RESNET_50 = Config()

# Hugging Face's names: ours.
NAMES = {
    r"^resnet\.": "",
    r".*\.num_batches_tracked": None,
    r"^classifier\.1\.": "classifier.",
}


def convolution(x, filters, kernel_size, stride, name):
    """A convolution and its batch norm."""
    convolve = ml.Conv2d(
        kernel_size,
        filters=filters,
        stride=stride,
        padding=kernel_size // 2,
        use_bias=False,
        name=f"{name}.convolution",
    )
    return ml.BatchNorm2D(name=f"{name}.normalization")(convolve(x))


def basic(x, filters, stride, config, name):
    y = ml.Relu()(convolution(x, filters, 3, stride, f"{name}.0"))
    return convolution(y, filters, 3, 1, f"{name}.1")


def bottleneck(x, filters, stride, config, name):
    first, second = (stride, 1) if config.downsample_in_bottleneck else (1, stride)
    y = ml.Relu()(convolution(x, filters // 4, 1, first, f"{name}.0"))
    y = ml.Relu()(convolution(y, filters // 4, 3, second, f"{name}.1"))
    return convolution(y, filters, 1, 1, f"{name}.2")


def block(x, filters, stride, config, name):
    layer = bottleneck if config.layer_type == "bottleneck" else basic
    y = layer(x, filters, stride, config, f"{name}.layer")
    if stride != 1 or x.dims[1] != filters:
        x = convolution(x, filters, 1, stride, f"{name}.shortcut")
    return ml.Relu()(y + x)


def resnet(config):
    """Ports: pixel_values [N, num_channels, H, W], logits [N, classes]."""
    image = ml.IOKey("pixel_values", shape=["N", config.num_channels, "H", "W"])
    x = ml.Relu()(convolution(image, config.embedding_size, 7, 2, "embedder.embedder"))
    x = ml.MaxPool2D(3, stride=2, padding=1)(x)
    for i, (filters, depth) in enumerate(zip(config.hidden_sizes, config.depths, strict=True)):
        for j in range(depth):
            halve = j == 0 and (i > 0 or config.downsample_in_first_stage)
            name = f"encoder.stages.{i}.layers.{j}"
            x = block(x, filters, 2 if halve else 1, config, name)
    pooled = x.mean((2, 3))
    return ml.Model.create(logits=ml.Linear(len(config.id2label), name="classifier")(pooled))
