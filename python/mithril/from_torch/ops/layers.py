"""Conversions of products, convolutions, embeddings and dropout for `ml.from_torch`."""

from __future__ import annotations

import math
from typing import Any

from ... import models as ml
from ..._core import Connection
from ..._core import dtype as widths
from ..builders import (
    Builder,
    NodeContext,
    Table,
    as_float,
    as_tuple,
    from_zero,
    internal_op,
    rank_of,
    refuse_if,
    shape,
    size,
    sum_of_products,
    table,
    wide,
)


def matmul(self: Any, other: Any) -> Any:
    """A vector is a row on the left and a column on the right."""
    if rank_of(self) == rank_of(other) == 1:
        return sum_of_products(self, other)
    if rank_of(self) == 1:
        return ml.Squeeze(axis=-2)(self.reshape((1, -1)) @ other)
    if rank_of(other) == 1:
        return ml.Squeeze(axis=-1)(self @ other.reshape((-1, 1)))
    return self @ other


def linear(input: Any, weight: Any, bias: Any = None, name: str | None = None) -> Any:
    if rank_of(input) == 1 or rank_of(weight) == 1:
        product = matmul(input, weight.T if rank_of(weight) > 1 else weight)
        return product if bias is None else product + bias
    made = ml.Linear(use_bias=bias is not None, name=name)
    ports = {} if bias is None else {"bias": bias}
    return made(input=input, weight=weight, **ports)


def bilinear(input1: Any, input2: Any, weight: Any, bias: Any = None) -> Any:
    """sum(x[..., i] * weight[o, i, j] * y[..., j])."""
    left = ml.ExpandDims(axis=(-2, -3))(input1)  # [..., 1, 1, i]
    product = ml.Squeeze(axis=-2)(left @ weight)  # [..., o, j]
    output = sum_of_products(product, ml.ExpandDims(axis=-2)(input2), -1)
    return output if bias is None else output + bias


def trilinear(
    i1: Any,
    i2: Any,
    i3: Any,
    expand1: Any,
    expand2: Any,
    expand3: Any,
    sumdim: Any,
    unroll_dim: int = 1,
) -> Any:
    """A sum over axes of the product of three tensors, each with new axes."""
    pairs = ((i1, expand1), (i2, expand2), (i3, expand3))
    a, b, c = (ml.ExpandDims(axis=tuple(new))(x) if new else x for x, new in pairs)
    product = a * b * c
    return product.sum(tuple(sumdim)) if sumdim else product


def added_vector(self: Any, mat: Any, vec: Any, beta: Any = 1, alpha: Any = 1) -> Any:
    product = matmul(mat, vec) * alpha
    return product if beta == 0 else self * beta + product


def added_batches(self: Any, batch1: Any, batch2: Any, beta: Any = 1, alpha: Any = 1) -> Any:
    product = (batch1 @ batch2).sum(0) * alpha
    return product if beta == 0 else self * beta + product


def outer(self: Any, vec2: Any) -> Any:
    return self.reshape((-1, 1)) * vec2.reshape((1, -1))


def kron(self: Any, other: Any) -> Any:
    rank = max(rank_of(self), rank_of(other))
    left, right = (
        operand.reshape((*(1,) * (rank - rank_of(operand)), *shape(operand)))
        for operand in (self, other)
    )
    sizes = [a * b for a, b in zip(shape(left), shape(right), strict=True)]
    left = left.reshape(tuple(part for size in shape(left) for part in (size, 1)))
    right = right.reshape(tuple(part for size in shape(right) for part in (1, size)))
    return (left * right).reshape(tuple(sizes))


def same_padding(kernel: int, dilation: int) -> tuple[int, int]:
    """Before and after; the odd one comes after."""
    total = dilation * (kernel - 1)
    return total // 2, total - total // 2


def convolution(
    input: Any,
    weight: Connection,
    bias: Any = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
    name: str | None = None,
) -> Any:
    rank = rank_of(weight) - 2
    if rank_of(input) == rank + 1:  # without a batch
        args = (weight, bias, stride, padding, dilation, groups, name)
        return ml.Squeeze(axis=0)(convolution(ml.ExpandDims(axis=0)(input), *args))
    stride, dilation = as_tuple(stride, rank), as_tuple(dilation, rank)
    if padding == "same":
        kernel: list[Any] = (weight.dims or [])[-rank:]
        padding = tuple(map(same_padding, kernel, dilation))
    padding = (0,) * rank if padding == "valid" else as_tuple(padding, rank)
    if rank == 3:
        return convolution3d(input, weight, bias, stride, padding, dilation, groups, name)
    options = {"stride": stride, "padding": padding, "dilation": dilation}
    if rank == 1:
        options = {key: value[0] for key, value in options.items()}
    maker = ml.PrimitiveConvolution1D if rank == 1 else ml.PrimitiveConvolution2D
    made = maker(groups=groups, name=name, **options)
    return made(input=input, weight=weight, bias=bias)


def convolution3d(
    input: Any,
    weight: Connection,
    bias: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    groups: int,
    name: str | None,
) -> Any:
    if any(isinstance(amount, tuple) for amount in padding):  # "same"
        input = ml.Pad(pad_width=((0, 0), (0, 0), *padding))(input)
        padding = (0, 0, 0)
    filters, _, *kernel = weight.dims or []
    options: dict[str, Any] = {"stride": stride, "padding": padding, "dilation": dilation}
    made = ml.Conv3d(
        filters or 0,
        kernel_size=tuple(kernel),
        groups=groups,
        use_bias=bias is not None,
        name=name,
        **options,
    )
    return made(input=input, weight=weight, **({} if bias is None else {"bias": bias}))


def transposed_convolution3d(
    input: Any, weight: Connection, bias: Any, options: Any, groups: int, name: str | None
) -> Any:
    stride, padding, output_padding, dilation = options
    _, filters, *kernel = weight.dims or []
    made = ml.ConvTranspose3d(
        (filters or 0) * groups,
        kernel_size=tuple(kernel),
        stride=stride,
        padding=padding,
        output_padding=output_padding,
        dilation=dilation,
        groups=groups,
        use_bias=bias is not None,
        name=name,
    )
    return made(input=input, weight=weight, **({} if bias is None else {"bias": bias}))


def transposed(
    input: Any,
    weight: Connection,
    bias: Any = None,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    groups: int = 1,
    dilation: Any = 1,
    name: str | None = None,
) -> Any:
    """The gradient of a convolution in its input, which says no more than its shape."""
    rank = rank_of(weight) - 2
    options = [as_tuple(option, rank) for option in (stride, padding, output_padding, dilation)]
    if rank_of(input) == rank + 1:
        args = (weight, bias, *options[:3], groups, options[3], name)
        return ml.Squeeze(axis=0)(transposed(ml.ExpandDims(axis=0)(input), *args))
    if rank == 1:
        wide = [
            (1, options[0][0]),
            *((0, option[0]) for option in options[1:3]),
            (1, options[3][0]),
        ]
        planes = [ml.ExpandDims(axis=2)(tensor) for tensor in (input, weight)]
        args = (*planes, bias, *wide[:3], groups, wide[3], name)
        return ml.Squeeze(axis=2)(transposed(*args))
    if rank == 3:
        return transposed_convolution3d(input, weight, bias, options, groups, name)
    stride, padding, more, dilation = options
    planes, pairs = [], []
    for i in range(rank):
        kernel: Any = (weight.dims or [])[2 + i]
        # A stride or more of output_padding is padding that is not cut off.
        after = padding[i] if more[i] < stride[i] else max(0, padding[i] - more[i])
        kept = more[i] if more[i] < stride[i] else 0
        least = size(input, 2 + i) * stride[i] - stride[i]
        planes.append(least + (dilation[i] * (kernel - 1) - padding[i] - after + kept + 1))
        pairs.append((padding[i], after, more[i] - kept - (padding[i] - after)))
    channels = size(weight, 1) * groups
    like = ml.Zeros()(shape=(size(input, 0), channels, *planes))
    made = internal_op(
        "Conv2dInputGrad",
        stride=stride,
        padding=tuple(pair[:2] for pair in pairs),
        dilation=dilation,
        groups=groups,
        name=name,
    )
    output = made(grad=input, input=like, weight=weight)
    if any(pair[2] for pair in pairs):
        output = ml.Pad(pad_width=((0, 0), (0, 0), *((0, pair[2]) for pair in pairs)))(output)
    return output if bias is None else output + bias.reshape((-1, 1, 1))


def any_convolution(
    input: Any,
    weight: Connection,
    bias: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    is_transposed: bool,
    output_padding: Any,
    groups: int,
    name: str | None = None,
) -> Any:
    if is_transposed:
        args = (stride, padding, output_padding, groups, dilation, name)
        return transposed(input, weight, bias, *args)
    return convolution(input, weight, bias, stride, padding, dilation, groups, name)


def embedding(
    weight: Connection,
    indices: Any,
    padding_idx: int = -1,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
    name: str | None = None,
) -> Any:
    """Rows of padding have no gradient."""
    refuse_if(scale_grad_by_freq or sparse, "with another gradient: scale_grad_by_freq or sparse")
    rows = ml.Embedding(name=name)(input=from_zero(indices, size(weight, 0)), weight=weight)
    if padding_idx < 0:
        return rows
    hit = ml.ExpandDims(axis=-1)(indices.eq(padding_idx))
    return ml.Where()(hit, ml.StopGradient()(rows), rows)


def embedding_bag(
    weight: Connection,
    indices: Connection,
    offsets: Connection,
    scale_grad_by_freq: bool = False,
    mode: int = 0,
    sparse: bool = False,
    per_sample_weights: Any = None,
    include_last_offset: bool = False,
    padding_idx: int | None = -1,
) -> Any:
    """Sums and means of rows, one per bag: products with a matrix of who belongs to which bag."""
    refuse_if(scale_grad_by_freq or sparse, "with another gradient: scale_grad_by_freq or sparse")
    count = size(indices, 0)
    starts = offsets[:-1] if include_last_offset else offsets
    places = ml.Arange()(stop=count).reshape((1, -1))
    # The bag of a place is the last one that starts at it or before it.
    bag = (places >= starts.reshape((-1, 1))).cast(widths.int64).sum(0) - 1
    member = bag.reshape((1, -1)).eq(ml.Arange()(stop=size(starts, 0)).reshape((-1, 1)))
    if include_last_offset:
        member = member & (places < offsets[-1])
    if padding_idx is not None and padding_idx >= 0:
        member = member & indices.ne(padding_idx).reshape((1, -1))
    rows = ml.Embedding()(input=from_zero(indices, size(weight, 0)), weight=weight)
    if mode == 2:
        return largest_of_bags(rows, member, bag), bag, None, None
    shares = as_float(member)
    if mode == 1:
        shares = shares / shares.sum(1, True).clamp(1.0, None)
    if per_sample_weights is not None:
        shares = shares * per_sample_weights.reshape((1, -1))
    return shares @ rows, bag, None, None


def largest_of_bags(rows: Connection, member: Connection, bag: Connection) -> Any:
    """The largest elements of the rows of each bag; 0 of an empty bag. Indices before the first
    bag belong to none."""
    counted = ml.ExpandDims(axis=-1)(member.max(0))
    rows = ml.Where()(counted, rows, -math.inf)
    sizes = (size(member, 0), size(rows, 1))
    index = ml.ExpandDims(axis=-1)(bag.clamp(0, None))
    index = ml.BroadcastTo()(index, (size(rows, 0), size(rows, 1)))
    lowest = ml.Full()(shape=sizes, fill_value=-math.inf)
    best = ml.Scatter(axis=0, reduce="amax")(lowest, index, rows)
    return ml.Where()(ml.ExpandDims(axis=-1)(member.max(1)), best, 0.0)


def dropout(input: Any, p: float, train: bool, name: str | None = None, *, at: NodeContext) -> Any:
    if not train or p == 0:
        return input
    return ml.Dropout(p=p, seed=at.draw_seed(), name=name)(input)


def native_dropout(input: Any, p: float, train: bool | None, *, at: NodeContext) -> Any:
    return dropout(input, p, train is not False, at=at), None


def channel_dropout(
    input: Any, p: float, train: bool, name: str | None = None, *, at: NodeContext
) -> Any:
    """Whole channels become 0."""
    if not train or p == 0:
        return input
    return input * channel_mask(input, p, at, name)


def channel_mask(x: Any, p: float, at: NodeContext, name: str | None = None) -> Any:
    ones = ml.Ones()(shape=(*shape(x)[:2], *(1,) * (rank_of(x) - 2)))
    return ml.Dropout(p=p, seed=at.draw_seed(), name=name)(ones)


def alpha_dropout(channels: bool) -> Builder:
    """Sets dropped elements to the limit of SELU, and keeps mean and variance."""
    limit = -1.7580993408473766  # -alpha * scale of SELU

    def build(
        input: Any, p: float, train: bool, name: str | None = None, *, at: NodeContext
    ) -> Any:
        if not train or p == 0:
            return input
        mask = (
            channel_mask(input, p, at)
            if channels
            else ml.Dropout(p=p, seed=at.draw_seed())(internal_op("FillLike", number=1.0)(input))
        )
        factor = ((1.0 - p) * (1.0 + p * limit**2)) ** -0.5
        dropped = ml.Where()(mask > 0, input, limit) * factor - factor * p * limit
        return ml.ByMode(name=name)(dropped, input)

    return build


TABLE: Table = table(
    (matmul, "matmul", "mm", "bmm", "mv", "dot", "linalg_matmul"),
    (added_vector, "addmv"),
    (added_batches, "addbmm"),
    (linear, "linear"),
    (bilinear, "bilinear"),
    (wide(trilinear), "_trilinear"),
    (outer, "outer", "ger"),
    (kron, "kron"),
    (convolution, "conv1d", "conv2d", "conv3d"),
    (transposed, "conv_transpose1d", "conv_transpose2d", "conv_transpose3d"),
    (any_convolution, "convolution"),
    (embedding, "embedding"),
    (embedding_bag, "_embedding_bag", "_embedding_bag_forward_only"),
    (embedding_bag, "embedding_bag.padding_idx", "embedding_bag"),
    (dropout, "dropout"),
    (native_dropout, "native_dropout"),
    (channel_dropout, "feature_dropout"),
    (alpha_dropout(channels=False), "alpha_dropout"),
    (alpha_dropout(channels=True), "feature_alpha_dropout"),
)
