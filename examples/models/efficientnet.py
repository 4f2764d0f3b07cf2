"""EfficientNet: Tan and Le, https://arxiv.org/abs/1905.11946."""

from dataclasses import dataclass, field
from math import ceil
from typing import ClassVar

from mithril.architectures.pretrained import activation

import mithril as ml


@dataclass
class Config:
    """The fields of `config.json`; the defaults are those of efficientnet-b0."""

    requires: ClassVar = {"pooling_type": "mean"}

    num_channels: int = 3
    width_coefficient: float = 1.0
    depth_coefficient: float = 1.0
    depth_divisor: int = 8
    kernel_sizes: list[int] = field(default_factory=lambda: [3, 3, 5, 3, 5, 5, 3])
    in_channels: list[int] = field(default_factory=lambda: [32, 16, 24, 40, 80, 112, 192])
    out_channels: list[int] = field(default_factory=lambda: [16, 24, 40, 80, 112, 192, 320])
    depthwise_padding: list[int] = field(default_factory=list)
    strides: list[int] = field(default_factory=lambda: [1, 2, 2, 2, 1, 2, 1])
    num_block_repeats: list[int] = field(default_factory=lambda: [1, 2, 2, 3, 3, 4, 1])
    expand_ratios: list[int] = field(default_factory=lambda: [1, 6, 6, 6, 6, 6, 6])
    squeeze_expansion_ratio: float = 0.25
    hidden_act: str = "swish"
    batch_norm_eps: float = 1e-3
    batch_norm_momentum: float = 0.99
    dropout_rate: float = 0.2
    drop_connect_rate: float = 0.2
    id2label: dict = field(default_factory=lambda: dict.fromkeys(range(1000)))


# Hugging Face's names: ours.
NAMES = {
    r"^efficientnet\.": "",
    r".*\.num_batches_tracked": None,
}


def rounded(channels, config):
    """The nearest multiple of `depth_divisor` that is not less by more than a tenth."""
    step, size = config.depth_divisor, channels * config.width_coefficient
    result = max(step, int(size + step / 2) // step * step)
    return result + step if result < 0.9 * size else result


def norm(x, config, name, momentum=None):
    momentum = config.batch_norm_momentum if momentum is None else momentum
    return ml.BatchNorm2D(eps=config.batch_norm_eps, momentum=momentum, name=name)(x)


def pointwise(x, filters, name, use_bias=False):
    return ml.Conv2d(1, filters=filters, use_bias=use_bias, name=name)(x)


def depthwise(x, channels, kernel_size, stride, *, config, centred, name):
    """With a stride of 2, one row and column of zeros less before the image, unless `centred`."""
    half = kernel_size // 2
    if stride == 2 and not centred:
        x = ml.Pad(pad_width=((0, 0), (0, 0), (half - 1, half), (half - 1, half)))(x)
        half = 0
    convolve = ml.Conv2d(
        kernel_size,
        filters=channels,
        stride=stride,
        padding=half,
        groups=channels,
        use_bias=False,
        name=f"{name}.depthwise_conv",
    )
    return activation(config.hidden_act)(norm(convolve(x), config, f"{name}.depthwise_norm"))


def squeeze_excite(x, channels, hidden, config, name):
    """https://arxiv.org/abs/1709.01507: each channel is multiplied by a gate of its own."""
    mean = x.mean((2, 3), True)
    reduced = activation(config.hidden_act)(pointwise(mean, hidden, f"{name}.reduce", True))
    return x * ml.Sigmoid()(pointwise(reduced, channels, f"{name}.expand", True))


def block(x, inputs, filters, *, kernel_size, stride, ratio, drop, centred, config, name):
    wide = inputs * ratio
    y = x
    if ratio != 1:
        y = pointwise(x, wide, f"{name}.expansion.expand_conv")
        y = norm(y, config, f"{name}.expansion.expand_bn", momentum=0.1)
        y = activation(config.hidden_act)(y)
    part = f"{name}.depthwise_conv"
    y = depthwise(y, wide, kernel_size, stride, config=config, centred=centred, name=part)
    hidden = max(1, int(inputs * config.squeeze_expansion_ratio))
    y = squeeze_excite(y, wide, hidden, config, f"{name}.squeeze_excite")
    y = pointwise(y, filters, f"{name}.projection.project_conv")
    y = norm(y, config, f"{name}.projection.project_bn")
    if drop is None:
        return y
    return x + ml.Dropout(p=drop)(y)


def encoder(x, config):
    counts = [ceil(config.depth_coefficient * count) for count in config.num_block_repeats]
    index = 0
    for stage, count in enumerate(counts):
        inputs = rounded(config.in_channels[stage], config)
        filters = rounded(config.out_channels[stage], config)
        for i in range(count):
            x = block(
                x,
                inputs if i == 0 else filters,
                filters,
                kernel_size=config.kernel_sizes[stage],
                stride=config.strides[stage] if i == 0 else 1,
                ratio=config.expand_ratios[stage],
                drop=None if i == 0 else config.drop_connect_rate * index / sum(counts),
                centred=index in config.depthwise_padding,
                config=config,
                name=f"encoder.blocks.{index}",
            )
            index += 1
    x = pointwise(x, rounded(1280, config), "encoder.top_conv")
    return activation(config.hidden_act)(norm(x, config, "encoder.top_bn"))


def efficientnet(config):
    """Ports: pixel_values [N, num_channels, H, W], logits [N, classes]."""
    image = ml.IOKey("pixel_values", shape=["N", config.num_channels, "H", "W"])
    convolve = ml.Conv2d(
        3,
        filters=rounded(32, config),
        stride=2,
        use_bias=False,
        name="embeddings.convolution",
    )
    x = convolve(ml.Pad(pad_width=((0, 0), (0, 0), (0, 1), (0, 1)))(image))
    x = activation(config.hidden_act)(norm(x, config, "embeddings.batchnorm"))
    x = ml.Dropout(p=config.dropout_rate)(encoder(x, config).mean((2, 3)))
    return ml.Model.create(logits=ml.Linear(len(config.id2label), name="classifier")(x))
