"""What `ml.from_torch` makes of arithmetic, comparisons, activations and reductions."""

from __future__ import annotations

import math
import operator
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F  # noqa: N812 - as everyone writes it

from . import models as ml
from ._core import Connection
from ._core import dtype as widths
from .from_torch_table import Table, refuse_if, table

# ---- arithmetic ----


def plus(input: Any, other: Any) -> Any:
    """Also of tuples: sizes of a known rank and what follows them."""
    sizes = isinstance(input, tuple) != isinstance(other, tuple)
    refuse_if(sizes, "the rank of what has these sizes is not known: from_torch(shapes=...)")
    return input + other


def add(input: Any, other: Any, alpha: Any = 1) -> Any:
    return input + (other if alpha == 1 else other * alpha)


def sub(input: Any, other: Any, alpha: Any = 1) -> Any:
    return input - (other if alpha == 1 else other * alpha)


def rsub(input: Any, other: Any) -> Any:
    return other - input


def divide(input: Any, other: Any, rounding_mode: str | None = None) -> Any:
    refuse_if(rounding_mode == "trunc", "rounding_mode='trunc'")
    return input // other if rounding_mode == "floor" else input / other


def power(input: Any, exponent: Any) -> Any:
    is_square = isinstance(input, Connection) and isinstance(exponent, int) and exponent == 2
    return ml.Square()(input) if is_square else input**exponent


def added_product(input: Any, left: Any, right: Any, beta: Any = 1, alpha: Any = 1) -> Any:
    return input * beta + (left @ right) * alpha


def square_root(input: Any) -> Any:
    return input.sqrt() if isinstance(input, Connection) else math.sqrt(input)


# ---- comparisons: == of connections is Python's own ----


def equal(input: Any, other: Any) -> Any:
    if isinstance(input, Connection):
        return input.eq(other)
    return other.eq(input) if isinstance(other, Connection) else input == other


def not_equal(input: Any, other: Any) -> Any:
    if isinstance(input, Connection):
        return input.ne(other)
    return other.ne(input) if isinstance(other, Connection) else input != other


def where(condition: Any, input: Any, other: Any) -> Any:
    return ml.Where()(condition, input, other)


def masked_fill(input: Any, mask: Any, value: Any) -> Any:
    return ml.Where()(mask, value, input)


def clamp(input: Any, min: Any = None, max: Any = None) -> Any:
    refuse_if(isinstance(min, Connection) or isinstance(max, Connection), "a limit of tensors")
    return input.clamp(min, max)


# ---- activations ----


def softmax(
    input: Any, dim: Any = None, _stacklevel: int = 3, dtype: Any = None, name: str | None = None
) -> Any:
    refuse_if(dim is None or dtype is not None, "without dim, or with a dtype")
    return ml.Softmax(axis=dim, name=name)(input)


def log_softmax(
    input: Any, dim: Any = None, _stacklevel: int = 3, dtype: Any = None, name: str | None = None
) -> Any:
    refuse_if(dim is None or dtype is not None, "without dim, or with a dtype")
    return ml.LogSoftmax(axis=dim, name=name)(input)


def relu(input: Any, inplace: bool = False, name: str | None = None) -> Any:
    return ml.Relu(name=name)(input)


def leaky_relu(
    input: Any, negative_slope: float = 0.01, inplace: bool = False, name: str | None = None
) -> Any:
    return ml.LeakyRelu(slope=negative_slope, name=name)(input)


def prelu(input: Any, weight: Connection) -> Any:
    refuse_if(weight.dims != [1], "with a slope for each channel")
    return ml.Where()(input > 0, input, input * weight)


def gelu(input: Any, approximate: str = "none", name: str | None = None) -> Any:
    return ml.Gelu(approximate=approximate == "tanh", name=name)(input)


def silu(input: Any, inplace: bool = False) -> Any:
    return input * ml.Sigmoid()(input)


def softplus(input: Any, beta: float = 1, threshold: float = 20) -> Any:
    """Torch leaves out what is below the rounding of float32 beyond the threshold."""
    scaled = input if beta == 1 else input * beta
    smooth = ml.Softplus()(scaled)
    return ml.Where()(scaled > threshold, input, smooth if beta == 1 else smooth / beta)


def mish(input: Any, inplace: bool = False) -> Any:
    return input * ml.Tanh()(softplus(input))


def log_sigmoid(input: Any) -> Any:
    return -ml.Softplus()(-input)


def elu(input: Any, alpha: float = 1.0, inplace: bool = False) -> Any:
    """The clamp keeps exp finite where it is not chosen."""
    return ml.Where()(input > 0, input, (input.clamp(None, 0.0).exp() - 1.0) * alpha)


def selu(input: Any, inplace: bool = False) -> Any:
    return elu(input, 1.6732632423543772848170429916717) * 1.0507009873554804934193349852946


def hardtanh(input: Any, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Any:
    """Unlike a clamp it has no slope at its limits."""
    inside = (input > min_val) & (input < max_val)
    limit = (input >= max_val) * float(max_val - min_val) + float(min_val)
    return ml.Where()(inside, input, limit)


def relu6(input: Any, inplace: bool = False) -> Any:
    return hardtanh(input, 0.0, 6.0)


def hardsigmoid(input: Any, inplace: bool = False) -> Any:
    return relu6(input + 3.0) / 6.0


def hardswish(input: Any, inplace: bool = False) -> Any:
    return input * hardsigmoid(input)


def softsign(input: Any) -> Any:
    return input / (1.0 + input.abs())


# ---- reductions ----


def axes(dim: Any) -> Any:
    """None is all of them; so is an empty tuple, for torch."""
    if isinstance(dim, list | tuple):
        return tuple(dim) or None
    return dim


def total(input: Any, dim: Any = None, keepdim: bool = False) -> Any:
    return input.sum(axes(dim), keepdim)


def mean(input: Any, dim: Any = None, keepdim: bool = False) -> Any:
    return input.mean(axes(dim), keepdim)


def product(input: Any, dim: Any = None, keepdim: bool = False) -> Any:
    return input.prod(axes(dim), keepdim)


def largest(input: Any, dim: Any = (), keepdim: bool = False) -> Any:
    return input.max(axes(dim), keepdim)


def smallest(input: Any, dim: Any = (), keepdim: bool = False) -> Any:
    return input.min(axes(dim), keepdim)


def variance(
    input: Any,
    dim: Any = None,
    unbiased: bool = True,
    keepdim: bool = False,
    correction: Any = None,
) -> Any:
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    return input.var(axes(dim), keepdim, float(unbiased if correction is None else correction))


def deviation(*args: Any, **kwargs: Any) -> Any:
    return variance(*args, **kwargs).sqrt()


def argmax(input: Any, dim: int | None = None, keepdim: bool = False) -> Any:
    return ml.ArgMax(axis=dim, keepdim=keepdim)(input)


def argmin(input: Any, dim: int | None = None, keepdim: bool = False) -> Any:
    return ml.ArgMin(axis=dim, keepdim=keepdim)(input)


class Extremes(NamedTuple):
    """What torch.max and torch.min give along an axis."""

    values: Any
    indices: Any


def extremes(pairwise: Any, reduced: Any, position: Any) -> Any:
    """torch.max: of all elements, of two tensors, or along an axis with the indices.

    Along an axis torch's gradient goes to the element that was chosen, not to all that equal it.
    """

    def build(input: Any, dim: Any = None, keepdim: bool = False, *, other: Any = None) -> Any:
        other = dim if isinstance(dim, Connection) else other
        if other is not None:
            return pairwise()(input, other)
        if dim is None:
            return reduced()(input)
        last = ml.SwapAxes(axis1=dim, axis2=-1)(input)
        index = position(axis=-1, keepdim=True)(last)
        chosen = ml.Arange()(stop=last.shape[-1]).eq(index)
        values = ml.Where()(chosen, last, 0).sum(-1, True)
        found = [ml.SwapAxes(axis1=dim, axis2=-1)(each) for each in (values, index)]
        return Extremes(*(each if keepdim else ml.Squeeze(axis=dim)(each) for each in found))

    return build


# ---- the width of numbers ----


def cast(input: Any, dtype: torch.dtype) -> Any:
    ours = getattr(widths, str(dtype).removeprefix("torch."), None)
    refuse_if(ours is None, f"a cast to {dtype}")
    return input.cast(ours)


def cast_to(dtype: torch.dtype) -> Any:
    return lambda input: cast(input, dtype)


def to(input: Any, *args: Any, **kwargs: Any) -> Any:
    """.to(device), .to(dtype), .to(device, dtype); where a model runs is its backend's affair."""
    refuse_if(any(isinstance(arg, Connection) for arg in args), "to the dtype of another tensor")
    named = [kwargs[name] for name in ("dtype",) if name in kwargs]
    dtypes = [arg for arg in (*args, *named) if isinstance(arg, torch.dtype)]
    return cast(input, dtypes[0]) if dtypes else input


def part(maker: Any) -> Any:
    """A builder for what one of our ops does with one input, or with two."""

    def build(*inputs: Any, name: str | None = None) -> Any:
        return maker(name=name)(*inputs)

    return build


OPERATORS = table(
    (plus, operator.add, operator.iadd),
    (operator.sub, operator.sub, operator.isub),
    (operator.mul, operator.mul, operator.imul, torch.mul, torch.multiply, "mul", "multiply"),
    (operator.truediv, operator.truediv, operator.itruediv),
    (operator.floordiv, operator.floordiv, torch.floor_divide, "floor_divide"),
    (operator.mod, operator.mod, torch.remainder, "remainder"),
    (operator.matmul, operator.matmul, torch.matmul, torch.bmm, torch.mm, "matmul", "bmm", "mm"),
    (operator.neg, operator.neg, torch.neg, torch.negative, "neg", "negative"),
    (operator.and_, operator.and_, torch.logical_and, "logical_and"),
    (operator.or_, operator.or_, torch.logical_or, "logical_or"),
    (operator.xor, operator.xor, torch.logical_xor, "logical_xor"),
    (operator.invert, operator.invert, torch.bitwise_not, "bitwise_not"),
    (part(ml.LogicalNot), torch.logical_not, "logical_not"),
    (operator.lt, operator.lt, torch.lt, torch.less, "lt", "less"),
    (operator.le, operator.le, torch.le, torch.less_equal, "le", "less_equal"),
    (operator.gt, operator.gt, torch.gt, torch.greater, "gt", "greater"),
    (operator.ge, operator.ge, torch.ge, torch.greater_equal, "ge", "greater_equal"),
    (equal, operator.eq, torch.eq, "eq"),
    (not_equal, operator.ne, torch.ne, torch.not_equal, "ne", "not_equal"),
    (power, operator.pow, torch.pow, "pow"),
    (operator.abs, operator.abs, torch.abs, torch.absolute, "abs", "absolute"),
)

FUNCTIONS = table(
    (add, torch.add, "add"),
    (sub, torch.sub, torch.subtract, "sub", "subtract"),
    (rsub, torch.rsub),
    (divide, torch.div, torch.divide, torch.true_divide, "div", "divide", "true_divide"),
    (added_product, torch.baddbmm, torch.addmm, "baddbmm", "addmm"),
    (square_root, math.sqrt, torch.sqrt, "sqrt"),
    (lambda input: 1.0 / input.sqrt(), torch.rsqrt, "rsqrt"),
    (lambda input: 1.0 / input, torch.reciprocal, "reciprocal"),
    (part(ml.Square), torch.square, "square"),
    (part(ml.Exponential), torch.exp, "exp"),
    (part(ml.Log), torch.log, "log"),
    (part(ml.Sine), torch.sin, "sin"),
    (part(ml.Cosine), torch.cos, "cos"),
    (part(ml.Erf), torch.erf, torch.special.erf, "erf"),
    (part(ml.Floor), torch.floor, "floor"),
    (part(ml.Sign), torch.sign, "sign"),
    (where, torch.where),
    (lambda input, condition, other: where(condition, input, other), "where"),
    (masked_fill, torch.masked_fill, "masked_fill"),
    (clamp, torch.clamp, torch.clip, "clamp", "clip"),
    (lambda input, min: clamp(input, min), torch.clamp_min, "clamp_min"),
    (lambda input, max: clamp(input, None, max), torch.clamp_max, "clamp_max"),
    (part(ml.Maximum), torch.maximum, "maximum"),
    (part(ml.Minimum), torch.minimum, "minimum"),
    (total, torch.sum, "sum"),
    (mean, torch.mean, "mean"),
    (product, torch.prod, "prod"),
    (lambda input, dim: ml.Cumsum(axis=dim)(input), torch.cumsum, "cumsum"),
    (largest, torch.amax, "amax"),
    (smallest, torch.amin, "amin"),
    (extremes(ml.Maximum, ml.Max, ml.ArgMax), torch.max, "max"),
    (extremes(ml.Minimum, ml.Min, ml.ArgMin), torch.min, "min"),
    (variance, torch.var, "var"),
    (deviation, torch.std, "std"),
    (argmax, torch.argmax, "argmax"),
    (argmin, torch.argmin, "argmin"),
)

ACTIVATIONS = table(
    (relu, F.relu, torch.relu, "relu"),
    (relu6, F.relu6),
    (leaky_relu, F.leaky_relu),
    (prelu, F.prelu, torch.prelu, "prelu"),
    (gelu, F.gelu),
    (silu, F.silu),
    (mish, F.mish),
    (elu, F.elu),
    (selu, F.selu, torch.selu),
    (softplus, F.softplus),
    (log_sigmoid, F.logsigmoid),
    (softsign, F.softsign),
    (hardtanh, F.hardtanh),
    (hardsigmoid, F.hardsigmoid),
    (hardswish, F.hardswish),
    (part(ml.Sigmoid), torch.sigmoid, torch.special.expit, "sigmoid"),
    (part(ml.Tanh), torch.tanh, "tanh"),
    (softmax, F.softmax),
    (lambda input, dim, dtype=None: softmax(input, dim, 3, dtype), torch.softmax, "softmax"),
    (log_softmax, F.log_softmax),
    (
        lambda input, dim, dtype=None: log_softmax(input, dim, 3, dtype),
        torch.log_softmax,
        "log_softmax",
    ),
)

CASTS = table(
    (to, "to"),
    (cast_to(torch.float32), "float"),
    (cast_to(torch.float64), "double"),
    (cast_to(torch.float16), "half"),
    (cast_to(torch.bfloat16), "bfloat16"),
    (cast_to(torch.int64), "long"),
    (cast_to(torch.int32), "int"),
    (cast_to(torch.bool), "bool"),
)

TABLE: Table = {**OPERATORS, **FUNCTIONS, **ACTIVATIONS, **CASTS}
