"""What `ml.from_torch` makes of normalisation."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812 - as everyone writes it
from torch import nn

from . import models as ml
from ._core import Connection
from .from_torch_table import Builder, Table, refuse_if, table, weight_and_bias


def normalised(x: Any, axes: Any, eps: float) -> Any:
    return (x - x.mean(axes, True)) / (x.var(axes, True) + eps).sqrt()


def scaled(x: Any, weight: Any, bias: Any) -> Any:
    x = x if weight is None else x * weight
    return x if bias is None else x + bias


def aligned(weight: Any, shape: tuple[int, ...]) -> Any:
    """[C] so that it meets the channels."""
    return None if weight is None else weight.reshape(shape)


# ---- over the last axes ----


def layer_norm(
    input: Any,
    normalized_shape: Any,
    weight: Any = None,
    bias: Any = None,
    eps: float = 1e-5,
    name: str | None = None,
) -> Any:
    if len(normalized_shape) > 1:
        axes = tuple(range(-len(normalized_shape), 0))
        return scaled(normalised(input, axes, eps), weight, bias)
    made = ml.LayerNorm(use_scale=weight is not None, use_bias=bias is not None, eps=eps, name=name)
    ports = {"weight": weight, "bias": bias}
    return made(input=input, **{key: value for key, value in ports.items() if value is not None})


def layer_norm_module(part: Any, module: Any, input: Any) -> Any:
    ports = weight_and_bias(part, module)
    return layer_norm(input, module.normalized_shape, *ports, module.eps, name=part.name)


def rms_norm(input: Any, normalized_shape: Any, weight: Any = None, eps: Any = None) -> Any:
    refuse_if(eps is None, "without eps, which then depends on the dtype")
    axes = tuple(range(-len(normalized_shape), 0))
    mean = ml.Square()(input).mean(axes, True)
    return scaled(input / (mean + eps).sqrt(), weight, None)


def rms_norm_module(part: Any, module: Any, input: Any) -> Any:
    weight = None if module.weight is None else part.get("weight")
    return rms_norm(input, module.normalized_shape, weight, module.eps)


def normalize(
    input: Any, p: float = 2.0, dim: int = 1, eps: float = 1e-12, out: None = None
) -> Any:
    """The limit inside of the root keeps its slope finite."""
    refuse_if(p != 2.0, f"with p={p}")
    return input / ml.Square()(input).sum(dim, True).clamp(eps * eps, None).sqrt()


# ---- over groups of channels ----


def group_norm(
    input: Any, num_groups: int, weight: Any = None, bias: Any = None, eps: float = 1e-5
) -> Any:
    count = input.shape[0]
    groups = normalised(input.reshape((count, num_groups, -1)), -1, eps)
    if weight is not None or bias is not None:
        groups = groups.reshape((count, channels_of(weight, bias), -1))
    output = scaled(groups, aligned(weight, (-1, 1)), aligned(bias, (-1, 1)))
    return ml.ReshapeLike()(output, input)


def channels_of(weight: Any, bias: Any) -> int:
    known = (weight if weight is not None else bias).dims
    refuse_if(not known or known[0] is None, "with a weight whose size is not known")
    return int(known[0])


def group_norm_module(part: Any, module: Any, input: Any) -> Any:
    return group_norm(input, module.num_groups, *weight_and_bias(part, module), module.eps)


def instance_norm_module(part: Any, module: Any, input: Any) -> Any:
    refuse_if(module.track_running_stats, "with running statistics")
    return group_norm(input, module.num_features, *weight_and_bias(part, module), module.eps)


# ---- over the batch: x is [N, C, H, W], or [N, C, all the rest] where the rank may vary ----

PLANES = ((0, 2, 3), (1, -1, 1, 1))
ROWS = ((0, 2), (-1, 1))


def normalised_batch(
    x: Any, form: Any, statistics: tuple[Any, ...], weight: Any, bias: Any, eps: float
) -> Any:
    """Without statistics by those of the batch."""
    axes, shape = form
    mean, variance = statistics
    if mean is None:
        x = normalised(x, axes, eps)
    else:
        x = (x - aligned(mean, shape)) / (aligned(variance, shape) + eps).sqrt()
    return scaled(x, aligned(weight, shape), aligned(bias, shape))


def rows_of(input: Connection, channels: int) -> Connection:
    return input.reshape((input.shape[0], channels, -1))


def batch_norm(
    input: Any,
    running_mean: Any,
    running_var: Any,
    weight: Any = None,
    bias: Any = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Any:
    refuse_if(training and running_mean is not None, "as a function that changes its statistics")
    known = running_mean if running_mean is not None else weight
    refuse_if(known is None, "without statistics and weight")
    rows = rows_of(input, channels_of(known, None))
    output = normalised_batch(rows, ROWS, (running_mean, running_var), weight, bias, eps)
    return ml.ReshapeLike()(output, input)


def batch_norm_module(form: Any) -> Builder:
    def build(part: Any, module: Any, input: Any) -> Any:
        ports = weight_and_bias(part, module)
        tracks = module.running_mean is not None
        kept = tuple(part.get(name) if tracks else None for name in ("running_mean", "running_var"))
        if tracks:
            part.get("num_batches_tracked")
        x = input if form is PLANES else rows_of(input, module.num_features)
        if tracks and module.training:
            update_statistics(part, module, x, form[0])
            kept = (None, None)
        output = normalised_batch(x, form, kept, *ports, module.eps)
        return output if form is PLANES else ml.ReshapeLike()(output, input)

    return build


def update_statistics(part: Any, module: Any, x: Any, axes: Any) -> None:
    """As torch does: with the variance of a sample; without a momentum the mean of all batches."""
    count = part.get("num_batches_tracked") + 1
    part.set("num_batches_tracked", count)
    share = 1.0 / count if module.momentum is None else module.momentum
    for name, now in (("running_mean", x.mean(axes)), ("running_var", x.var(axes, False, 1.0))):
        part.set(name, part.get(name) * (1.0 - share) + now * share)


FUNCTIONS: Table = table(
    (layer_norm, F.layer_norm, torch.layer_norm),
    (rms_norm, F.rms_norm, torch.rms_norm),
    (normalize, F.normalize),
    (group_norm, F.group_norm, torch.group_norm),
    (batch_norm, F.batch_norm),
)

MODULES: Table = table(
    (layer_norm_module, nn.LayerNorm),
    (rms_norm_module, nn.RMSNorm),
    (group_norm_module, nn.GroupNorm),
    (instance_norm_module, nn.InstanceNorm1d, nn.InstanceNorm2d),
    (batch_norm_module(ROWS), nn.BatchNorm1d),
    (batch_norm_module(PLANES), nn.BatchNorm2d),
)
