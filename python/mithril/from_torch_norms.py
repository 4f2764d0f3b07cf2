"""What `ml.from_torch` makes of normalisation."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812 - as everyone writes it
from torch import nn

from . import models as ml
from .from_torch_table import Table, internal, refuse_if, table, weight_and_bias


def given(**ports: Any) -> dict[str, Any]:
    return {name: value for name, value in ports.items() if value is not None}


def scaled(x: Any, weight: Any, bias: Any) -> Any:
    x = x if weight is None else x * weight
    return x if bias is None else x + bias


# ---- over the last axes ----


def layer_norm(
    input: Any,
    normalized_shape: Any,
    weight: Any = None,
    bias: Any = None,
    eps: float = 1e-5,
    name: str | None = None,
) -> Any:
    axes = len(normalized_shape)
    if axes > 1:
        flat: list[Any] = [
            x if x is None else ml.Flatten(start_dim=-axes)(x) for x in (input, weight, bias)
        ]
        return internal("ReshapeLike")(
            layer_norm(flat[0], (-1,), flat[1], flat[2], eps, name), input
        )
    made = ml.LayerNorm(use_scale=weight is not None, use_bias=bias is not None, eps=eps, name=name)
    return made(input=input, **given(weight=weight, bias=bias))


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
    rows = input.reshape((count, num_groups, -1))
    groups = ml.LayerNorm(use_scale=False, use_bias=False, eps=eps)(input=rows)
    if weight is not None or bias is not None:
        groups = groups.reshape((count, channels_of(weight, bias), -1))
    weight, bias = (x if x is None else x.reshape((-1, 1)) for x in (weight, bias))
    output = scaled(groups, weight, bias)
    return internal("ReshapeLike")(output, input)


def channels_of(weight: Any, bias: Any) -> int:
    known = (weight if weight is not None else bias).dims
    refuse_if(not known or known[0] is None, "with a weight whose size is not known")
    return int(known[0])


def group_norm_module(part: Any, module: Any, input: Any) -> Any:
    return group_norm(input, module.num_groups, *weight_and_bias(part, module), module.eps)


def instance_norm_module(part: Any, module: Any, input: Any) -> Any:
    refuse_if(module.track_running_stats, "with running statistics")
    return group_norm(input, module.num_features, *weight_and_bias(part, module), module.eps)


# ---- over the batch ----

STATISTICS = ("running_mean", "running_var")


def by_batch(
    input: Any, statistics: Any, weight: Any, bias: Any, name: str | None = None, **options: Any
) -> list[Any]:
    """The output, and what the running statistics are then."""
    made = internal("BatchNormTraining", name=name, **options)
    kept = dict(zip(STATISTICS, statistics, strict=True))
    output, _, _, *new = made(input=input, **kept, **given(weight=weight, bias=bias))
    return [output, *new]


def by_batch_alone(
    input: Any, channels: int, weight: Any, bias: Any, eps: float, name: str | None = None
) -> Any:
    nothing = ml.Zeros()(shape=(channels,))
    return by_batch(input, (nothing, nothing), weight, bias, name, eps=eps)[0]


def by_statistics(
    input: Any, statistics: Any, weight: Any, bias: Any, eps: float, name: str | None = None
) -> Any:
    made = internal("BatchNormInference", eps=eps, name=name)
    mean, variance = statistics
    return made(input=input, mean=mean, variance=variance, **given(weight=weight, bias=bias))


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
    if running_mean is not None:
        return by_statistics(input, (running_mean, running_var), weight, bias, eps)
    refuse_if(weight is None, "without statistics and weight")
    return by_batch_alone(input, channels_of(weight, None), weight, bias, eps)


def batch_norm_module(part: Any, module: Any, input: Any) -> Any:
    ports = weight_and_bias(part, module)
    if module.running_mean is None:
        return by_batch_alone(input, module.num_features, *ports, module.eps, part.name)
    statistics = [part.get(name) for name in STATISTICS]
    count = part.get("num_batches_tracked")
    if not module.training:
        return by_statistics(input, statistics, *ports, module.eps, part.name)
    part.set("num_batches_tracked", ml.ByMode()(count + 1, count))
    momentum = 1.0 if module.momentum is None else module.momentum
    output, *new = by_batch(input, statistics, *ports, eps=module.eps, momentum=momentum)
    for name, old, now in zip(STATISTICS, statistics, new, strict=True):
        moved = now if module.momentum is not None else mean_of_all(old, now, count)
        part.set(name, ml.ByMode()(moved, old))
    return ml.ByMode(name=part.name)(output, by_statistics(input, statistics, *ports, module.eps))


def mean_of_all(old: Any, now: Any, count: Any) -> Any:
    """Of `count` batches before, and one more: what torch keeps without a momentum."""
    share = 1.0 / (count + 1)
    return old * (1.0 - share) + now * share


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
    (batch_norm_module, nn.BatchNorm1d, nn.BatchNorm2d),
)
