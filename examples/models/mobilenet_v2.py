"""MobileNetV2: Sandler et al., https://arxiv.org/abs/1801.04381."""

from dataclasses import dataclass, field

from mithril.architectures.pretrained import activation

import mithril as ml


@dataclass
class Config:
    """The fields of `config.json`; the defaults are those of mobilenet_v2_1.0_224."""

    num_channels: int = 3
    depth_multiplier: float = 1.0
    depth_divisible_by: int = 8
    min_depth: int = 8
    expand_ratio: float = 6.0
    output_stride: int = 32
    first_layer_is_expansion: bool = True
    finegrained_output: bool = True
    hidden_act: str = "relu6"
    tf_padding: bool = True
    layer_norm_eps: float = 1e-3
    id2label: dict = field(default_factory=lambda: dict.fromkeys(range(1001)))


# Hugging Face's names: ours.
NAMES = {
    r"^mobilenet_v2\.": "",
    r".*\.num_batches_tracked": None,
}

# Table 2 of the paper: channels, repetitions and the first stride of each stage after the first.
STAGES = [
    (24, 2, 2),
    (32, 3, 2),
    (64, 4, 2),
    (96, 3, 1),
    (160, 3, 2),
    (320, 1, 1),
]


def divisible(size, config):
    """The nearest multiple of `depth_divisible_by` that is not less by more than a tenth."""
    step = config.depth_divisible_by
    rounded = max(config.min_depth, int(size + step / 2) // step * step)
    return rounded + step if rounded < 0.9 * size else rounded


def scaled(channels, config):
    return divisible(round(channels * config.depth_multiplier), config)


def padded(x, kernel_size, stride, dilation):
    """Zeros as TensorFlow adds them: the output has ceil(size / stride) pixels, and what cannot be
    halved goes to the end."""

    def around(size):
        total = kernel_size - 1 if stride == 1 else kernel_size - stride + size % stride
        before = total // 2
        return (before * dilation, (total - before) * dilation)

    return ml.Pad()(x, ((0, 0), (0, 0), around(x.shape[2]), around(x.shape[3])))


def convolution(x, filters, kernel_size, config, *, name, stride=1, dilation=1, groups=1, act=True):
    """A convolution, its batch norm and, with `act`, the activation."""
    padding = 0
    if kernel_size > 1 and config.tf_padding:
        x = padded(x, kernel_size, stride, dilation)
    elif kernel_size > 1:
        padding = (kernel_size - 1) // 2 * dilation
    convolve = ml.Conv2d(
        kernel_size,
        filters=filters,
        stride=stride,
        padding=padding,
        dilation=dilation,
        groups=groups,
        use_bias=False,
        name=f"{name}.convolution",
    )
    normalise = ml.BatchNorm2D(
        eps=config.layer_norm_eps, momentum=0.997, name=f"{name}.normalization"
    )
    y = normalise(convolve(x))
    return activation(config.hidden_act)(y) if act else y


def inverted_residual(x, inputs, filters, stride, dilation, config, name):
    wide = divisible(round(inputs * config.expand_ratio), config)
    y = convolution(x, wide, 1, config, name=f"{name}.expand_1x1")
    y = convolution(
        y, wide, 3, config, name=f"{name}.conv_3x3", stride=stride, dilation=dilation, groups=wide
    )
    y = convolution(y, filters, 1, config, name=f"{name}.reduce_1x1", act=False)
    return x + y if stride == 1 and inputs == filters else y


def stem(image, filters, config, name):
    """The first convolution and the first stage, whose expansion may be that convolution."""
    wide = scaled(32, config)
    x = convolution(image, wide, 3, config, name=f"{name}.first_conv", stride=2)
    if not config.first_layer_is_expansion:
        x = convolution(x, wide, 1, config, name=f"{name}.expand_1x1")
    x = convolution(x, wide, 3, config, name=f"{name}.conv_3x3", groups=wide)
    return convolution(x, filters, 1, config, name=f"{name}.reduce_1x1", act=False)


def mobilenet_v2(config):
    """Ports: pixel_values [N, num_channels, H, W], logits [N, classes]."""
    image = ml.IOKey("pixel_values", shape=["N", config.num_channels, "H", "W"])
    inputs = scaled(16, config)
    x = stem(image, inputs, config, "conv_stem")
    reached, dilation, layer = 2, 1, 0
    for channels, repetitions, first_stride in STAGES:
        for i in range(repetitions):
            filters, stride = scaled(channels, config), first_stride if i == 0 else 1
            name, current = f"layer.{layer}", 1
            if reached == config.output_stride:  # later strides become dilations
                current, dilation, stride = dilation, dilation * stride, 1
            reached *= stride
            x = inverted_residual(x, inputs, filters, stride, current, config, name)
            inputs, layer = filters, layer + 1
    narrow = config.finegrained_output and config.depth_multiplier < 1
    x = convolution(x, 1280 if narrow else scaled(1280, config), 1, config, name="conv_1x1")
    logits = ml.Linear(len(config.id2label), name="classifier")(x.mean((2, 3)))
    return ml.Model.create(logits=logits)
