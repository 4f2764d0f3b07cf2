"""Builders of `ml.from_torch` for sorting and searching."""

from __future__ import annotations

from typing import Any

from ... import models as ml
from ..._core import Connection
from ..._core import dtype as widths
from ..builders import Table, along, as_float, rank_of, refuse_if, table, tensor
from .indexing import flat


def sort(self: Connection, dim: int = -1, descending: bool = False, stable: Any = None) -> Any:
    if not rank_of(self):
        return self, ml.Full()(shape=(), fill_value=0)
    return ml.Sort(axis=dim, descending=descending)(self)


def top_k(
    self: Connection, k: int, dim: int = -1, largest: bool = True, sorted: bool = True
) -> Any:
    if not rank_of(self):
        return self, ml.Full()(shape=(), fill_value=0)
    return ml.TopK(k=k, axis=dim, largest=largest)(self)


def smallest_but(self: Connection, k: int, dim: int = -1, keepdim: bool = False) -> Any:
    """The k-th smallest element, and its index."""
    if not rank_of(self):
        return self, ml.Full()(shape=(), fill_value=0)
    both = ml.TopK(k=k, axis=dim, largest=False)(self)
    last = slice(k - 1, k) if keepdim else k - 1
    return tuple(value[along(dim, last)] for value in both)


def median(self: Connection, dim: int | None = None, keepdim: bool = False) -> Any:
    """The lower one of two."""
    if dim is None:
        return median(flat(self), 0)[0]
    count = (self.dims or [])[dim] if rank_of(self) else 1
    refuse_if(count is None, "of an open size")
    return smallest_but(self, ((count or 0) + 1) // 2, dim, keepdim)


def searchsorted(
    sorted_sequence: Connection,
    self: Any,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    sorter: Any = None,
) -> Any:
    """The number of elements below: as many comparisons as both have elements."""
    refuse_if(sorter is not None, "with sorter")
    value = ml.ExpandDims(axis=-1)(tensor(self))
    sequence = sorted_sequence
    if rank_of(sequence) > 1:
        sequence = ml.ExpandDims(axis=-2)(sequence)
    below = sequence <= value if right or side == "right" else sequence < value
    total = below.cast(widths.int64).sum(-1)
    return total.cast(widths.int32) if out_int32 else total


def bucketize(
    self: Any, boundaries: Connection, out_int32: bool = False, right: bool = False
) -> Any:
    return searchsorted(boundaries, self, out_int32, right)


def quantile(
    self: Connection,
    q: Any,
    numbers: Any,
    dim: int | None,
    keepdim: bool,
    interpolation: Any,
    ignores_nan: bool,
) -> Any:
    layer = ml.NanQuantile if ignores_nan else ml.Quantile
    dim = dim if rank_of(self) else None
    built = layer(axis=dim, keepdim=keepdim, interpolation=interpolation)
    if q is None:
        return built(self, numbers[0])
    return built(self, q) if rank_of(q) else built(self, q.reshape((1,)))[0]


def histogram(self: Connection, bins: int = 100, min: float = 0, max: float = 0) -> Any:
    return ml.Histc(bins=bins, min=float(min), max=float(max))(self)


def bincount(self: Connection, weights: Any = None, minlength: int = 0) -> Any:
    """Torch counts in int64, and adds up weights as floats."""
    refuse_if(
        minlength == 0,
        "whose size depends on elements: write torch.bincount(x, minlength=n), where n is larger "
        "than each element",
    )
    counted = self.cast(widths.int64)
    if weights is None:
        return ml.Bincount(minlength=minlength)(counted)
    return ml.Bincount(minlength=minlength)(counted, weights=as_float(weights))


TABLE: Table = table(
    (sort, "sort.default"),
    (lambda self, stable, dim=-1, descending=False: sort(self, dim, descending), "sort.stable"),
    (top_k, "topk"),
    (smallest_but, "kthvalue"),
    (median, "median"),
    (searchsorted, "searchsorted"),
    (bucketize, "bucketize"),
    (quantile, "mithril_export::quantile"),
    (histogram, "histc"),
    (bincount, "bincount"),
)
