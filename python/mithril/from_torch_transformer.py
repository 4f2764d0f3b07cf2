"""What `ml.from_torch` makes of the layers of torch's transformers."""

from __future__ import annotations

from typing import Any

from torch import nn

from . import from_torch_math as math
from .from_torch_attention import multihead_attention
from .from_torch_layers import dropout_module, linear_module
from .from_torch_norms import layer_norm_module
from .from_torch_table import Table, refuse_if, table


def activation(function: Any, x: Any) -> Any:
    """A function, or a module, as nn.TransformerEncoderLayer takes it."""
    for kind, builder in ((nn.ReLU, math.relu), (nn.GELU, math.gelu)):
        if isinstance(function, kind):
            return builder(x, *([function.approximate] if kind is nn.GELU else []))
    refuse_if(function not in math.ACTIVATIONS, "with this activation")
    return math.ACTIVATIONS[function](x)


def encoder_layer(
    part: Any,
    module: Any,
    src: Any,
    src_mask: Any = None,
    src_key_padding_mask: Any = None,
    is_causal: bool = False,
) -> Any:
    def child(builder: Any, name: str, *inputs: Any, **options: Any) -> Any:
        return builder(part.child(name), getattr(module, name), *inputs, **options)

    def attend(x: Any) -> Any:
        masks = {"attn_mask": src_mask, "key_padding_mask": src_key_padding_mask}
        y = child(multihead_attention, "self_attn", x, x, x, need_weights=False, **masks)[0]
        return child(dropout_module, "dropout1", y)

    def feed_forward(x: Any) -> Any:
        hidden = activation(module.activation, child(linear_module, "linear1", x))
        hidden = child(dropout_module, "dropout", hidden)
        return child(dropout_module, "dropout2", child(linear_module, "linear2", hidden))

    x = src
    for block, norm in ((attend, "norm1"), (feed_forward, "norm2")):
        if module.norm_first:
            x = x + block(child(layer_norm_module, norm, x))
        else:
            x = child(layer_norm_module, norm, x + block(x))
    return x


def encoder(
    part: Any,
    module: Any,
    src: Any,
    mask: Any = None,
    src_key_padding_mask: Any = None,
    is_causal: Any = None,
) -> Any:
    layers = part.child("layers")
    for i, layer in enumerate(module.layers):
        refuse_if(type(layer) is not nn.TransformerEncoderLayer, "with layers of another class")
        src = encoder_layer(layers.child(str(i)), layer, src, mask, src_key_padding_mask)
    if module.norm is None:
        return src
    refuse_if(type(module.norm) is not nn.LayerNorm, "with a norm of another class")
    return layer_norm_module(part.child("norm"), module.norm, src)


MODULES: Table = table(
    (encoder_layer, nn.TransformerEncoderLayer), (encoder, nn.TransformerEncoder)
)
