"""Conversions of reductions, running sums, norms and positions for `ml.from_torch`."""

from __future__ import annotations

import math
from typing import Any

import torch

from ... import models as ml
from ..._core import Connection
from ..._core import dtype as widths
from ..builders import (
    Builder,
    NodeContext,
    Table,
    along,
    as_float,
    constant_of,
    converted,
    is_bool,
    is_float,
    rank_of,
    refuse_if,
    size,
    table,
    wide,
)


def axes(dim: Any) -> Any:
    """The axes to reduce. None means all, and so does an empty list, as in torch."""
    if isinstance(dim, list | tuple):
        return tuple(dim) or None
    return dim


def prepared(x: Any, at: NodeContext) -> Any:
    """Sums and products are computed in the dtype of the result."""
    return converted(x, at.inputs[0].dtype, at.output.dtype, at.main)


def total(
    self: Any, dim: Any = None, keepdim: bool = False, dtype: Any = None, *, at: NodeContext
) -> Any:
    return prepared(self, at).sum(axes(dim), keepdim)


def mean(
    self: Any, dim: Any = None, keepdim: bool = False, dtype: Any = None, *, at: NodeContext
) -> Any:
    return prepared(self, at).mean(axes(dim), keepdim)


def product(
    self: Any, dim: Any = None, keepdim: bool = False, dtype: Any = None, *, at: NodeContext
) -> Any:
    return prepared(self, at).prod(axes(dim), keepdim)


def largest(self: Any, dim: Any = (), keepdim: bool = False) -> Any:
    return self.max(axes(dim), keepdim)


def smallest(self: Any, dim: Any = (), keepdim: bool = False) -> Any:
    return self.min(axes(dim), keepdim)


def any_of(self: Any, dim: Any = None, keepdim: bool = False) -> Any:
    """A sum, since no element at all is False."""
    truth = self if is_bool(self) else self.ne(0)
    return truth.cast(widths.int64).sum(axes(dim), keepdim) > 0


def all_of(self: Any, dim: Any = None, keepdim: bool = False) -> Any:
    return ml.LogicalNot()(any_of(self.eq(0) if not is_bool(self) else ~self, dim, keepdim))


def count_nonzero(self: Any, dim: Any = None) -> Any:
    truth = self if is_bool(self) else self.ne(0)
    return truth.cast(widths.int64).sum(axes(dim))


def variance(
    self: Any,
    dim: Any = None,
    unbiased: Any = None,
    keepdim: bool = False,
    correction: Any = None,
) -> Any:
    if isinstance(dim, bool):  # var(input, unbiased)
        dim, unbiased = None, dim
    if correction is None:
        correction = 1 if unbiased is None else int(unbiased)
    return self.var(axes(dim), keepdim, float(correction))


def deviation(
    self: Any,
    dim: Any = None,
    unbiased: Any = None,
    keepdim: bool = False,
    correction: Any = None,
) -> Any:
    """The root of the variance of elements that are divided by the largest one, whose squares do
    not overflow."""
    if isinstance(dim, bool):  # std(input, unbiased)
        dim, unbiased = None, dim
    if 0 in (self.dims or []):
        return variance(self, dim, unbiased, keepdim, correction).sqrt()
    apart = self - self.mean(axes(dim), True)
    top = ml.StopGradient()(apart.abs().max(axes(dim), True))
    top = ml.Where()((top > 0.0) & (top < math.inf), top, 1.0)
    spread = variance(apart / top, dim, unbiased, True, correction)
    result = root(spread) * top
    return result if keepdim else ml.Squeeze(axis=axes(dim))(result)


def moments(spread: Builder) -> Builder:
    """var_mean and std_mean."""

    def build(
        self: Any,
        dim: Any = None,
        unbiased: Any = None,
        keepdim: bool = False,
        correction: Any = None,
    ) -> Any:
        if isinstance(dim, bool):
            dim, unbiased = None, dim
        both = spread(self, dim, unbiased, keepdim, correction)
        return both, self.mean(axes(dim), keepdim)

    return build


def position(maker: Any) -> Builder:
    def build(self: Any, dim: int | None = None, keepdim: bool = False) -> Any:
        return maker(axis=dim, keepdim=keepdim)(self)

    return build


def extremes(reduced: Any, found: Any) -> Builder:
    """max.dim: values and indices. The gradient goes to the element that was chosen, not to all
    that equal it."""

    def build(self: Any, dim: int, keepdim: bool = False) -> Any:
        if not rank_of(self):
            return self, ml.Full()(shape=(), fill_value=0)
        last = ml.SwapAxes(axis1=dim, axis2=-1)(self)
        index = found(axis=-1, keepdim=True)(last)
        chosen = ml.Arange()(stop=size(last, -1)).eq(index)
        values = ml.Where()(chosen, last, False if is_bool(last) else 0)
        values = reduced()(last) if is_bool(last) else values.sum(-1, True)
        both = [ml.SwapAxes(axis1=dim, axis2=-1)(value) for value in (values, index)]
        return tuple(value if keepdim else ml.Squeeze(axis=dim)(value) for value in both)

    return build


def cumulative_sum(self: Any, dim: int, dtype: Any = None, *, at: NodeContext) -> Any:
    given = prepared(self, at)
    return ml.Cumsum(axis=dim)(given) if rank_of(self) else given


def cumulative_product(self: Any, dim: int, dtype: Any = None, *, at: NodeContext) -> Any:
    given = prepared(self, at)
    return ml.Cumprod(axis=dim)(given) if rank_of(self) else given


def cumulative_extremum(layer: Any) -> Builder:
    def build(self: Any, dim: int) -> Any:
        if not rank_of(self):
            return self, ml.Full()(shape=(), fill_value=0)
        return layer(axis=dim)(self)

    return build


def log_sum_exp(self: Any, dim: Any, keepdim: bool = False) -> Any:
    """The largest element is subtracted before exp; infinities are not, since their difference
    is NaN."""
    x = as_float(self)
    top = ml.StopGradient()(x.max(axes(dim), True))
    top = ml.Where()(top.abs().eq(math.inf), 0.0, top)
    total = ml.Log()((x - top).exp().sum(axes(dim), True)) + top
    return total if keepdim else ml.Squeeze(axis=axes(dim))(total)


def differences(
    self: Any, n: int = 1, dim: int = -1, prepend: Any = None, append: Any = None
) -> Any:
    """Differences of neighbours along an axis, n times."""
    parts = [part for part in (prepend, self, append) if part is not None]
    if any(is_float(part) for part in parts):
        parts = [as_float(part) for part in parts]
    x = ml.Concat(axis=dim)(parts) if len(parts) > 1 else self
    for _ in range(n):
        after, before = x[along(dim, slice(1, None))], x[along(dim, slice(None, -1))]
        x = ml.LogicalXOr()(after, before) if is_bool(x) else after - before
    return x


def vector_norm(
    self: Any,
    ord: Any = 2,
    dim: Any = None,
    keepdim: bool = False,
    dtype: Any = None,
    *,
    at: NodeContext,
) -> Any:
    x = prepared(self, at)
    along = axes(dim)
    if ord == 2:
        return root(ml.Square()(x).sum(along, keepdim))
    if ord == 1:
        return x.abs().sum(along, keepdim)
    if ord == 0:
        return as_float(x.ne(0)).sum(along, keepdim)
    if ord in {math.inf, -math.inf}:
        size = x.abs()
        return size.max(along, keepdim) if ord > 0 else size.min(along, keepdim)
    return (x.abs() ** float(ord)).sum(along, keepdim) ** (1.0 / ord)


def root(total: Connection) -> Connection:
    """The square root, with a slope of 0 at 0."""
    zero = total.eq(0.0)
    return ml.Where()(zero, 0.0, ml.Where()(zero, 1.0, total).sqrt())


def norm(
    self: Any,
    p: Any = 2,
    dim: Any = None,
    keepdim: bool = False,
    dtype: Any = None,
    *,
    at: NodeContext,
) -> Any:
    return vector_norm(self, 2 if p is None else p, dim, keepdim, at=at)


def linalg_norm(
    self: Any,
    ord: Any = None,
    dim: Any = None,
    keepdim: bool = False,
    dtype: Any = None,
    *,
    at: NodeContext,
) -> Any:
    count = rank_of(self) if dim is None else 1 if isinstance(dim, int) else len(dim)
    refuse_if(count > 1 and ord is not None, "of matrices")
    return vector_norm(self, 2 if ord is None else ord, dim, keepdim, at=at)


def distances(
    x1: Any, x2: Any, p: float = 2.0, compute_mode: Any = None, *, at: NodeContext
) -> Any:
    """Between the rows of both."""
    apart = ml.ExpandDims(axis=-2)(x1) - ml.ExpandDims(axis=-3)(x2)
    return vector_norm(apart, p, -1, at=at)


def distances_within(self: Any, p: float = 2.0, *, at: NodeContext) -> Any:
    """Distances of all pairs of rows, each pair once."""
    count = (self.dims or [])[0]
    refuse_if(count is None, "of an open size")
    first, second = (constant_of(index) for index in torch.triu_indices(count, count, 1))
    apart = ml.Gather(axis=0)(self, first) - ml.Gather(axis=0)(self, second)
    return vector_norm(apart, p, -1, at=at)


TABLE: Table = table(
    (total, "sum"),
    (mean, "mean"),
    (product, "prod"),
    (largest, "amax", "max"),
    (smallest, "amin", "min"),
    (extremes(ml.Max, ml.ArgMax), "max.dim"),
    (extremes(ml.Min, ml.ArgMin), "min.dim"),
    (lambda self, other: ml.Maximum()(self, other), "max.other"),
    (lambda self, other: ml.Minimum()(self, other), "min.other"),
    (any_of, "any"),
    (all_of, "all"),
    (count_nonzero, "count_nonzero"),
    (wide(variance), "var"),
    (wide(deviation), "std"),
    (wide(moments(variance)), "var_mean"),
    (wide(moments(deviation)), "std_mean"),
    (position(ml.ArgMax), "argmax"),
    (position(ml.ArgMin), "argmin"),
    (cumulative_sum, "cumsum"),
    (cumulative_product, "cumprod"),
    (cumulative_extremum(ml.CumMax), "cummax"),
    (cumulative_extremum(ml.CumMin), "cummin"),
    (lambda self, dim: ml.LogCumsumExp(axis=dim)(as_float(self)), "logcumsumexp"),
    (differences, "diff"),
    (wide(log_sum_exp), "logsumexp", "special_logsumexp"),
    (wide(vector_norm), "linalg_vector_norm"),
    (wide(linalg_norm), "linalg_norm"),
    (wide(norm), "norm"),
    (wide(distances), "_cdist_forward"),
    (wide(distances_within), "_pdist_forward", "pdist"),
)
