"""What `ml.from_torch` makes of the layers of torch.nn, and of their functions."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812 - as everyone writes it
from torch import nn

from . import from_torch_attention as attention
from . import from_torch_math as math
from . import from_torch_norms as norms
from . import from_torch_pooling as pooling
from . import from_torch_shapes as shapes
from . import models as ml
from ._core import Connection
from .from_torch_table import (
    Builder,
    Table,
    as_tuple,
    internal,
    of,
    refuse_if,
    table,
    weight_and_bias,
)

# ---- linear and convolution ----


def linear(input: Any, weight: Any, bias: Any = None, name: str | None = None) -> Any:
    made = ml.Linear(use_bias=bias is not None, name=name)
    ports = {} if bias is None else {"bias": bias}
    return made(input=input, weight=weight, **ports)


def same_padding(kernel: int, dilation: int) -> tuple[int, int]:
    """Before and after; the odd one comes after."""
    total = dilation * (kernel - 1)
    return total // 2, total - total // 2


def convolution(rank: int) -> Builder:
    def build(
        input: Any,
        weight: Connection,
        bias: Any = None,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        name: str | None = None,
    ) -> Any:
        stride, dilation = as_tuple(stride, rank), as_tuple(dilation, rank)
        if padding == "same":
            kernel: list[Any] = (weight.dims or [])[-rank:]
            padding = tuple(map(same_padding, kernel, dilation))
        padding = (0,) * rank if padding == "valid" else as_tuple(padding, rank)
        options = {"stride": stride, "padding": padding, "dilation": dilation}
        if rank == 1:
            options = {key: value[0] for key, value in options.items()}
        maker = ml.PrimitiveConvolution1D if rank == 1 else ml.PrimitiveConvolution2D
        made = maker(groups=groups, name=name, **options)
        return made(input=input, weight=weight, bias=bias)

    return build


def convolution_module(rank: int) -> Builder:
    def build(part: Any, module: Any, input: Any) -> Any:
        refuse_if(module.padding_mode != "zeros", f"with padding_mode={module.padding_mode!r}")
        options = (module.stride, module.padding, module.dilation, module.groups)
        return convolution(rank)(input, *weight_and_bias(part, module), *options, name=part.name)

    return build


def linear_module(part: Any, module: Any, input: Any) -> Any:
    return linear(input, *weight_and_bias(part, module), name=part.name)


def transposed_convolution(part: Any, module: Any, input: Any) -> Any:
    """The gradient of a convolution in its input, which says no more than its shape."""
    refuse_if(module.padding_mode != "zeros", f"with padding_mode={module.padding_mode!r}")
    options = ("kernel_size", "stride", "padding", "dilation", "output_padding")
    planes = []
    for i, each in enumerate(zip(*(getattr(module, name) for name in options), strict=True)):
        kernel, stride, padding, dilation, more = each
        least = shapes.size(input, i - 2) * stride - stride
        planes.append(least + (dilation * (kernel - 1) - 2 * padding + more + 1))
    like = ml.Zeros()(shape=(shapes.size(input, 0), module.out_channels, *planes))
    made = internal(
        "Conv2dInputGrad",
        stride=module.stride,
        padding=module.padding,
        dilation=module.dilation,
        groups=module.groups,
        name=part.name,
    )
    weight, bias = weight_and_bias(part, module)
    output = made(grad=input, input=like, weight=weight)
    return output if bias is None else output + bias.reshape((-1, 1, 1))


# ---- embedding, dropout ----


def embedding(
    input: Any,
    weight: Connection,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
    name: str | None = None,
) -> Any:
    refuse_if(padding_idx is not None, "with padding_idx, whose row has no gradient")
    refuse_if(max_norm is not None, "with max_norm, which changes the weight")
    refuse_if(scale_grad_by_freq or sparse, "with another gradient: scale_grad_by_freq or sparse")
    return ml.Embedding(name=name)(input=input, weight=weight)


def embedding_module(part: Any, module: Any, input: Any) -> Any:
    """The row of padding has no gradient: while it is zero, its factor may be zero, too."""
    padding = module.padding_idx
    if padding is not None:
        refuse_if(bool(module.weight[padding].any()), "with padding_idx, whose row is not zero")
    options = (None, module.max_norm, module.norm_type, module.scale_grad_by_freq, module.sparse)
    rows = embedding(input, part.get("weight"), *options, name=part.name)
    return rows if padding is None else rows * shapes.unsqueeze(input.ne(padding), -1)


def dropout(
    input: Any, p: float = 0.5, training: bool = True, inplace: bool = False, *, draw_seed: Any
) -> Any:
    if not training or p == 0:
        return input
    return ml.Dropout(p=p, seed=draw_seed())(input)


def dropout_module(part: Any, module: Any, input: Any) -> Any:
    if not module.training or module.p == 0:
        return input
    return ml.Dropout(p=module.p, seed=part.draw_seed(), name=part.name)(input)


def channel_dropout(
    input: Any, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Any:
    refuse_if(training and p > 0, "while training")
    return input


FUNCTIONS: Table = {
    **table(
        (linear, F.linear),
        (convolution(1), F.conv1d, torch.conv1d),
        (convolution(2), F.conv2d, torch.conv2d),
        (embedding, F.embedding),
        (dropout, F.dropout, torch.dropout),
        (channel_dropout, F.dropout1d, F.dropout2d),
    ),
    **norms.FUNCTIONS,
    **pooling.FUNCTIONS,
    **attention.FUNCTIONS,
}

MODULES: Table = {
    **table(
        (linear_module, nn.Linear),
        (convolution_module(1), nn.Conv1d),
        (convolution_module(2), nn.Conv2d),
        (transposed_convolution, nn.ConvTranspose2d),
        (embedding_module, nn.Embedding),
        (dropout_module, nn.Dropout),
        (of(channel_dropout, "p", "training"), nn.Dropout1d, nn.Dropout2d),
        (of(shapes.same), nn.Identity),
        (of(shapes.nearest, "size", "scale_factor", "mode"), nn.Upsample),
        (of(shapes.flatten, "start_dim", "end_dim"), nn.Flatten),
        (of(shapes.unflatten, "dim", "unflattened_size"), nn.Unflatten),
        (of(math.relu), nn.ReLU),
        (of(math.relu6), nn.ReLU6),
        (of(math.leaky_relu, "negative_slope"), nn.LeakyReLU),
        (of(math.gelu, "approximate"), nn.GELU),
        (of(math.silu), nn.SiLU),
        (of(math.mish), nn.Mish),
        (of(math.elu, "alpha"), nn.ELU),
        (of(math.selu), nn.SELU),
        (of(math.softplus, "beta", "threshold"), nn.Softplus),
        (of(math.softsign), nn.Softsign),
        (of(math.log_sigmoid), nn.LogSigmoid),
        (of(math.hardtanh, "min_val", "max_val"), nn.Hardtanh),
        (of(math.hardsigmoid), nn.Hardsigmoid),
        (of(math.hardswish), nn.Hardswish),
        (of(math.part(ml.Sigmoid)), nn.Sigmoid),
        (of(math.part(ml.Tanh)), nn.Tanh),
        (of(math.softmax, "dim"), nn.Softmax),
        (of(math.log_softmax, "dim"), nn.LogSoftmax),
        (lambda part, module, input: math.prelu(input, part.get("weight")), nn.PReLU),
    ),
    **norms.MODULES,
    **pooling.MODULES,
    **attention.MODULES,
}
