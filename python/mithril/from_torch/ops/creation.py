"""Conversions of tensors that forward creates, and of casts for `ml.from_torch`."""

from __future__ import annotations

from typing import Any

import torch

from ... import models as ml
from ..._core import Connection
from ..builders import (
    Builder,
    NodeContext,
    Table,
    as_float,
    converted,
    dtype_option,
    internal_op,
    is_float,
    shape,
    table,
    tensor,
)


def number_of(dtype: torch.dtype, value: Any) -> Any:
    """A number of the kind of the dtype."""
    if isinstance(value, Connection):
        return value
    if dtype == torch.bool:
        return bool(value)
    return float(value) if dtype.is_floating_point else int(value)


def as_result(value: Any, i: int, at: NodeContext) -> Any:
    """Argument i, a number or a tensor, in the dtype of the result."""
    if not isinstance(value, Connection):
        return number_of(at.output.dtype, value)
    return converted(value, at.inputs[i].dtype, at.output.dtype, at.main)


def full_tensor(sizes: Any, value: Any, at: NodeContext) -> Any:
    number = number_of(at.output.dtype, value)
    width = dtype_option(at.output.dtype, at.main)
    return ml.Full(dtype=width)(shape=tuple(sizes), fill_value=number)


def full(size: Any, fill_value: Any, dtype: Any = None, *, at: NodeContext) -> Any:
    return full_tensor(size, fill_value, at)


def new_full(self: Any, size: Any, fill_value: Any, dtype: Any = None, *, at: NodeContext) -> Any:
    return full_tensor(size, fill_value, at)


def full_like(self: Any, fill_value: Any, dtype: Any = None, *, at: NodeContext) -> Any:
    if at.output.dtype == at.inputs[0].dtype and not isinstance(fill_value, Connection):
        return internal_op("FillLike", number=number_of(at.output.dtype, fill_value))(self)
    return full_tensor(shape(self), fill_value, at)


def constant(value: float) -> Builder:
    """zeros, ones and empty, whose elements have no meaning."""
    return lambda size, dtype=None, *, at: full_tensor(size, value, at)


def new_constant(value: float) -> Builder:
    return lambda self, size, dtype=None, *, at: full_tensor(size, value, at)


def constant_like(value: float) -> Builder:
    return lambda self, dtype=None, *, at: full_like(self, value, at=at)


def empty_strided(size: Any, stride: Any, dtype: Any = None, *, at: NodeContext) -> Any:
    return full_tensor(size, 0, at)


def empty_permuted(size: Any, physical_layout: Any, dtype: Any = None, *, at: NodeContext) -> Any:
    return full_tensor(size, 0, at)


def fill(self: Any, value: Any, at: NodeContext) -> Any:
    return (
        copied(self, value, at=at)
        if isinstance(value, Connection)
        else full_like(self, value, at=at)
    )


def scalar_tensor(s: Any, dtype: Any = None, *, at: NodeContext) -> Any:
    if isinstance(s, Connection):
        return s.tensor()
    width = dtype_option(at.output.dtype, at.main)
    return ml.ToTensor(dtype=width)(number_of(at.output.dtype, s))


def arange(*bounds: Any, dtype: Any = None, at: NodeContext) -> Any:
    names = ("stop",) if len(bounds) == 1 else ("start", "stop", "step")
    ports = dict(zip(names, bounds, strict=False))
    if not at.output.dtype.is_floating_point:
        return ml.Arange(dtype=dtype_option(at.output.dtype, at.main))(**ports)
    width = dtype_option(at.output.dtype, at.main)
    whole = all(isinstance(bound, int) or not is_float(bound) for bound in bounds)
    made = ml.Arange(dtype=width)(**ports)
    return as_float(made) if whole and width is None else made


def linspace(start: Any, end: Any, steps: int, dtype: Any = None, *, at: NodeContext) -> Any:
    if steps == 1:
        return full_tensor((1,), start, at)
    return as_float(ml.Arange()(stop=steps)) * ((end - start) / (steps - 1)) + float(start)


def eye(n: Any, m: Any = None, dtype: Any = None, *, at: NodeContext) -> Any:
    return ml.Eye(dtype=dtype_option(at.output.dtype, at.main))(N=n, M=n if m is None else m)


def copied(self: Any, src: Any, non_blocking: bool = False, *, at: NodeContext) -> Any:
    """src in the shape and the dtype of self."""
    wide = ml.BroadcastTo()(input=tensor(src), shape=shape(self))
    return converted(wide, at.inputs[1].dtype, at.output.dtype, at.main)


def cast(self: Any, *options: Any, at: NodeContext, **named: Any) -> Any:
    return converted(self, at.inputs[0].dtype, at.output.dtype, at.main)


def same(self: Any, *options: Any, **named: Any) -> Any:
    return self


def detach(self: Any, at: NodeContext) -> Any:
    return ml.StopGradient()(self) if at.output.dtype.is_floating_point else self


TABLE: Table = table(
    (full, "full"),
    (new_full, "new_full"),
    (full_like, "full_like"),
    (constant(0), "zeros", "empty"),
    (constant(1), "ones"),
    (new_constant(0), "new_zeros", "new_empty"),
    (new_constant(1), "new_ones"),
    (constant_like(0), "zeros_like", "empty_like", "zero"),
    (constant_like(1), "ones_like"),
    (empty_strided, "empty_strided"),
    (empty_permuted, "empty_permuted"),
    (fill, "fill"),
    (scalar_tensor, "scalar_tensor"),
    (arange, "arange"),
    (linspace, "linspace"),
    (eye, "eye"),
    (copied, "copy"),
    (cast, "_to_copy", "to", "type_as"),
    (same, "clone", "contiguous", "alias", "lift_fresh_copy", "lift_fresh"),
    (detach, "detach"),
)
