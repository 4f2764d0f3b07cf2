"""Swin Transformer: Liu et al., https://arxiv.org/abs/2103.14030."""

from dataclasses import dataclass, field

import numpy as np
from mithril.architectures.pretrained import activation

import mithril as ml


@dataclass
class Config:
    """The fields of `config.json`; the defaults are those of swin-tiny-patch4-window7-224."""

    image_size: int = 224
    patch_size: int = 4
    num_channels: int = 3
    embed_dim: int = 96
    depths: list[int] = field(default_factory=lambda: [2, 2, 6, 2])
    num_heads: list[int] = field(default_factory=lambda: [3, 6, 12, 24])
    window_size: int = 7
    mlp_ratio: float = 4.0
    qkv_bias: bool = True
    hidden_act: str = "gelu"
    layer_norm_eps: float = 1e-5
    id2label: dict = field(default_factory=lambda: dict.fromkeys(range(1000)))


# Hugging Face's names: ours.
NAMES = {
    r"^swin\.": "",
    r".*\.relative_position_index": None,  # follows from the size of the windows
}


def norm(x, eps, name):
    return ml.LayerNorm(eps=eps, name=name)(x)


def pairs(window):
    """For two places of a window [area, area]: the row of the table of biases, which has one for
    each difference of rows and columns."""
    rows, columns = np.divmod(np.arange(window * window), window)
    down = rows[:, None] - rows + window - 1
    right = columns[:, None] - columns + window - 1
    return down * (2 * window - 1) + right


def separation(side, window, shift):
    """What is added to the scores [windows, 1, area, area] of places that the shift has brought
    together across an edge of the image."""
    place = np.arange(side)
    region = (place >= side - window).astype(int) + (place >= side - shift)
    regions = (region[:, None] * 3 + region).reshape(side // window, window, -1, window)
    regions = regions.transpose(0, 2, 1, 3).reshape(-1, 1, window * window)
    return np.where(regions[..., None] == regions[..., None, :], 0.0, -100.0)


def in_windows(x, side, window):
    """[N, side, side, C] as [N, windows, area, C]."""
    count = side // window
    x = x.reshape((-1, count, window, count, window, x.shape[3])).transpose((0, 1, 3, 2, 4, 5))
    return x.reshape((-1, count * count, window * window, x.shape[5]))


def from_windows(x, side, window):
    count = side // window
    x = x.reshape((-1, count, count, window, window, x.shape[3])).transpose((0, 1, 3, 2, 4, 5))
    return x.reshape((-1, side, side, x.shape[5]))


def attention(x, heads, separated, config, name):
    """In each window of x [N, windows, area, C]."""
    size, window, bias = x.dims[3], config.window_size, config.qkv_bias

    def in_heads(part):
        y = ml.Linear(size, use_bias=bias, name=f"{name}.self.{part}")(x)
        split = (y.shape[0], y.shape[1], y.shape[2], heads, size // heads)
        return y.reshape(split).transpose((0, 1, 3, 2, 4))

    table = ml.IOKey(
        f"{name}.self.relative_position_bias_table",
        shape=[(2 * window - 1) ** 2, heads],
        differentiable=True,
    )
    biases = ml.Gather()(table, ml.Tensor(pairs(window))).transpose((2, 0, 1))
    if separated is not None:
        biases = biases + ml.Tensor(separated)
    attend = ml.ScaledDotProduct(is_causal=False, use_attn_mask=True)
    q, k, v = (in_heads(part) for part in ("query", "key", "value"))
    y = attend(query=q, key=k, value=v, attn_mask=biases).transpose((0, 1, 3, 2, 4))
    joined = y.reshape((y.shape[0], y.shape[1], y.shape[2], size))
    return ml.Linear(size, name=f"{name}.output.dense")(joined)


def shifted_windows(x, side, heads, shift, config, name):
    """Attention in windows of the image [N, side, side, C], moved by `shift`, with zeros where the
    last window does not fit."""
    window = config.window_size
    missing = -side % window
    if missing:
        x = ml.Pad(pad_width=((0, 0), (0, missing), (0, missing), (0, 0)))(x)
    whole = side + missing
    if not shift:
        y = attention(in_windows(x, whole, window), heads, None, config, name)
        y = from_windows(y, whole, window)
    else:
        separated = separation(whole, window, shift)
        y = in_windows(ml.Roll((-shift, -shift), axis=(1, 2))(x), whole, window)
        y = attention(y, heads, separated, config, name)
        y = ml.Roll((shift, shift), axis=(1, 2))(from_windows(y, whole, window))
    return y[:, :side, :side] if missing else y


def block(x, side, heads, shift, config, name):
    y = norm(x, config.layer_norm_eps, f"{name}.layernorm_before")
    x = x + shifted_windows(y, side, heads, shift, config, f"{name}.attention")
    y = norm(x, config.layer_norm_eps, f"{name}.layernorm_after")
    size = x.dims[3]
    y = ml.Linear(int(config.mlp_ratio * size), name=f"{name}.intermediate.dense")(y)
    return x + ml.Linear(size, name=f"{name}.output.dense")(activation(config.hidden_act)(y))


def merged(x, side, name):
    """Four neighbours as one patch of twice the channels."""
    size = x.dims[3]
    if side % 2:
        x = ml.Pad(pad_width=((0, 0), (0, 1), (0, 1), (0, 0)))(x)
    corners = [x[:, row::2, column::2] for column in (0, 1) for row in (0, 1)]
    x = norm(ml.Concat(axis=3)(corners), 1e-5, f"{name}.norm")
    return ml.Linear(2 * size, use_bias=False, name=f"{name}.reduction")(x)


def swin(config):
    """Ports: pixel_values [N, num_channels, image_size, image_size], logits [N, classes]."""
    image_size, patch = config.image_size, config.patch_size
    image = ml.IOKey("pixel_values", shape=["N", config.num_channels, image_size, image_size])
    name = "embeddings.patch_embeddings.projection"
    project = ml.Conv2d(patch, filters=config.embed_dim, stride=patch, name=name)
    x = norm(project(image).transpose((0, 2, 3, 1)), 1e-5, "embeddings.norm")
    side = image_size // patch
    for i, (depth, heads) in enumerate(zip(config.depths, config.num_heads, strict=True)):
        for j in range(depth):
            shift = config.window_size // 2 if j % 2 and side > config.window_size else 0
            x = block(x, side, heads, shift, config, f"encoder.layers.{i}.blocks.{j}")
        if i + 1 < len(config.depths):
            x = merged(x, side, f"encoder.layers.{i}.downsample")
            side = (side + 1) // 2
    pooled = norm(x, config.layer_norm_eps, "layernorm").mean((1, 2))
    return ml.Model.create(logits=ml.Linear(len(config.id2label), name="classifier")(pooled))
