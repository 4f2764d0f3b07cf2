"""Conversions of normalisation for `ml.from_torch`."""

from __future__ import annotations

from typing import Any

import torch

from ... import models as ml
from ..builders import NodeContext, Table, internal_op, rank_of, refuse_if, shape, size, table, wide


def given(**ports: Any) -> dict[str, Any]:
    return {name: value for name, value in ports.items() if value is not None}


def scaled(x: Any, weight: Any, bias: Any) -> Any:
    x = x if weight is None else x * weight
    return x if bias is None else x + bias


def layer_norm(
    input: Any,
    normalized_shape: Any,
    weight: Any = None,
    bias: Any = None,
    eps: float = 1e-5,
    cudnn_enable: bool = True,
    name: str | None = None,
) -> Any:
    axes = len(normalized_shape)
    if axes > 1:
        flat: list[Any] = [
            x if x is None else ml.Flatten(start_dim=-axes)(x) for x in (input, weight, bias)
        ]
        normed = layer_norm(flat[0], (-1,), flat[1], flat[2], eps, name=name)
        return internal_op("ReshapeLike")(normed, input)
    made = ml.LayerNorm(use_scale=weight is not None, use_bias=bias is not None, eps=eps, name=name)
    return made(input=input, **given(weight=weight, bias=bias))


def native_layer_norm(
    input: Any, normalized_shape: Any, weight: Any, bias: Any, eps: float, name: str | None = None
) -> Any:
    axes = tuple(range(-len(normalized_shape), 0))
    mean, variance = input.mean(axes, True), input.var(axes, True)
    output = layer_norm(input, normalized_shape, weight, bias, eps, name=name)
    return output, mean, 1.0 / (variance + eps).sqrt()


def rms_norm(
    input: Any, normalized_shape: Any, weight: Any = None, eps: Any = None, *, at: NodeContext
) -> Any:
    axes = tuple(range(-len(normalized_shape), 0))
    mean = ml.Square()(input).mean(axes, True)
    least = torch.finfo(at.output.dtype).eps if eps is None else eps
    return scaled(input / (mean + least).sqrt(), weight, None)


def group_norm(
    input: Any,
    num_groups: int,
    weight: Any = None,
    bias: Any = None,
    eps: float = 1e-5,
    cudnn_enabled: bool = True,
) -> Any:
    rows = input.reshape((size(input, 0), num_groups, -1))
    groups = ml.LayerNorm(use_scale=False, use_bias=False, eps=eps)(input=rows)
    output = groups.reshape(shape(input))
    tail = (1,) * (rank_of(input) - 2)
    weight, bias = (x if x is None else x.reshape((-1, *tail)) for x in (weight, bias))
    return scaled(output, weight, bias)


def native_group_norm(
    input: Any,
    weight: Any,
    bias: Any,
    batch: Any,
    channels: Any,
    positions: Any,
    group: int,
    eps: float,
) -> Any:
    rows = input.reshape((size(input, 0), group, -1))
    mean, variance = rows.mean(-1), rows.var(-1)
    output = group_norm(input, group, weight, bias, eps)
    return output, mean, 1.0 / (variance + eps).sqrt()


def instance_norm(
    input: Any,
    weight: Any,
    bias: Any,
    running_mean: Any,
    running_var: Any,
    use_input_stats: bool,
    momentum: float,
    eps: float,
    cudnn_enabled: bool,
) -> Any:
    if not use_input_stats:
        return by_statistics(input, (running_mean, running_var), weight, bias, eps)
    refuse_if(running_mean is not None, "with running statistics, in training")
    return group_norm(input, size(input, 1), weight, bias, eps)


def by_batch(
    input: Any, statistics: Any, weight: Any, bias: Any, name: str | None = None, **options: Any
) -> list[Any]:
    """Output, mean, 1 / deviation, and the next running statistics."""
    made = internal_op("BatchNormTraining", name=name, **options)
    kept = dict(zip(("running_mean", "running_var"), statistics, strict=True))
    return list(made(input=input, **kept, **given(weight=weight, bias=bias)))


def by_batch_alone(
    input: Any, weight: Any, bias: Any, eps: float, name: str | None = None
) -> list[Any]:
    nothing = ml.Zeros()(shape=(size(input, 1),))
    return by_batch(input, (nothing, nothing), weight, bias, name, eps=eps)


def by_statistics(
    input: Any, statistics: Any, weight: Any, bias: Any, eps: float, name: str | None = None
) -> Any:
    made = internal_op("BatchNormInference", eps=eps, name=name)
    mean, variance = statistics
    return made(input=input, mean=mean, variance=variance, **given(weight=weight, bias=bias))


def batch_norm(
    input: Any,
    weight: Any,
    bias: Any,
    running_mean: Any,
    running_var: Any,
    training: bool,
    momentum: float,
    eps: float,
    cudnn_enabled: bool,
    name: str | None = None,
) -> Any:
    """Batch norm in evaluation, or without running statistics. In training, torch's decomposition
    has the next statistics as outputs."""
    if running_mean is not None and not training:
        return by_statistics(input, (running_mean, running_var), weight, bias, eps, name)
    return by_batch_alone(input, weight, bias, eps, name)[0]


def batch_norm_in_training(
    input: Any,
    weight: Any,
    bias: Any,
    running_mean: Any,
    running_var: Any,
    training: bool,
    momentum: float,
    eps: float,
    name: str | None = None,
) -> Any:
    """Follows the mode of the compiled model: in inference the running statistics stay."""
    old = (running_mean, running_var)
    in_inference = by_statistics(input, old, weight, bias, eps)
    if not training:
        return in_inference, None, None, *old
    output, mean, rstd, *new = by_batch(input, old, weight, bias, momentum=momentum, eps=eps)
    output = ml.ByMode(name=name)(output, in_inference)
    return output, mean, rstd, *(ml.ByMode()(*pair) for pair in zip(new, old, strict=True))


def batch_norm_in_evaluation(
    input: Any,
    weight: Any,
    bias: Any,
    running_mean: Any,
    running_var: Any,
    momentum: float,
    eps: float,
    name: str | None = None,
) -> Any:
    output = by_statistics(input, (running_mean, running_var), weight, bias, eps, name)
    return output, None, None


def batch_norm_without_statistics(
    input: Any,
    weight: Any,
    bias: Any,
    training: bool,
    momentum: float,
    eps: float,
    name: str | None = None,
) -> Any:
    return tuple(by_batch_alone(input, weight, bias, eps, name)[:3])


def weight_norm(v: Any, g: Any, dim: int = 0) -> Any:
    """v in the lengths g, along all axes but `dim`; -1 is not an axis."""
    axes = None if dim == -1 else tuple(i for i in range(rank_of(v)) if i != dim)
    return v * (g / ml.Square()(v).sum(axes, dim != -1).sqrt())


TABLE: Table = table(
    (layer_norm, "layer_norm"),
    (wide(native_layer_norm), "native_layer_norm"),
    (wide(rms_norm), "rms_norm"),
    (wide(group_norm), "group_norm"),
    (wide(native_group_norm), "native_group_norm"),
    (wide(instance_norm), "instance_norm"),
    (wide(weight_norm), "_weight_norm"),
    (batch_norm, "batch_norm"),
    (batch_norm_in_training, "_native_batch_norm_legit_functional"),
    (batch_norm_in_evaluation, "_native_batch_norm_legit_no_training"),
    (batch_norm_without_statistics, "_native_batch_norm_legit.no_stats"),
)
