"""Conversions of arithmetic, comparisons and functions of one element for `ml.from_torch`."""

from __future__ import annotations

import math
from typing import Any

from ... import models as ml
from ..._core import Connection
from ..builders import (
    Builder,
    NodeContext,
    Table,
    as_float,
    converted,
    dtype_of,
    is_bool,
    is_float,
    table,
    tensor,
    wide,
)
from .creation import as_result

# Arithmetic: torch promotes by category, and 0-d tensors do not widen others.


def promoted(at: NodeContext, *operands: Any) -> list[Any]:
    """The operands, with floats of another width than the result's cast to it."""
    target = at.output.dtype
    if not target.is_floating_point:
        return list(operands)
    result = []
    for operand, given in zip(operands, at.inputs, strict=False):
        source = dtype_of(given)
        narrow = source is not None and source.is_floating_point and source != target
        result.append(converted(operand, source, target, at.main) if narrow else operand)
    return result


def binary(function: Builder) -> Builder:
    """An operator of two tensors, or of a tensor and a number."""

    def build(self: Any, other: Any, at: NodeContext) -> Any:
        left, right = promoted(at, self, other)
        return function(tensor(left) if not isinstance(right, Connection) else left, right)

    return build


def scaled(x: Any, alpha: Any) -> Any:
    return x if alpha == 1 else x * alpha


def add(self: Any, other: Any, alpha: Any = 1, *, at: NodeContext) -> Any:
    left, right = promoted(at, self, other)
    return left + scaled(right, alpha)


def sub(self: Any, other: Any, alpha: Any = 1, *, at: NodeContext) -> Any:
    left, right = promoted(at, self, other)
    return left - scaled(right, alpha)


def rsub(self: Any, other: Any, alpha: Any = 1) -> Any:
    return other - scaled(self, alpha)


def whole_quotient(x: Any, y: Any) -> Any:
    """The quotient of ints rounded towards zero, without floats."""
    opposite = ml.LogicalXOr()(x < 0, tensor(y) < 0)
    size = x.abs() // tensor(y).abs()
    return ml.Where()(opposite, -size, size)


def div(self: Any, other: Any, rounding_mode: str | None = None, *, at: NodeContext) -> Any:
    left, right = promoted(at, self, other)
    if rounding_mode == "floor":
        return left // right
    if rounding_mode is None:
        return left / right
    ints = not (is_float(left) or is_float(right))
    return whole_quotient(left, right) if ints else ml.Trunc()(left / right)


def power(self: Any, exponent: Any, at: NodeContext) -> Any:
    base, exponent = promoted(at, self, exponent)
    if isinstance(exponent, int | float) and isinstance(base, Connection):
        if exponent == 2:
            return ml.Square()(base)
        if exponent == 0.5 and is_float(base):
            return base.sqrt()
    if not isinstance(base, Connection):
        base = tensor(float(base) if is_float(exponent) else base)
    return base**exponent


def bits(logical: Any, whole: Any) -> Builder:
    """Logic of bools, bits of ints."""

    def build(self: Any, other: Any) -> Any:
        both = is_bool(self) and is_bool(other)
        left, right = tensor(self), tensor(other)
        return logical()(left, right) if both else whole()(left, right)

    return build


def truth(x: Any) -> Any:
    return x if is_bool(x) else tensor(x).ne(0)


def logical(maker: Any) -> Builder:
    return lambda self, other: maker()(truth(self), truth(other))


def where(condition: Any, self: Any, other: Any, at: NodeContext) -> Any:
    target = at.output.dtype
    sides = [
        converted(operand, source, target, at.main)
        if (source := dtype_of(given)) is not None
        and source.is_floating_point
        and target.is_floating_point
        else operand
        for operand, given in zip((self, other), at.inputs[1:], strict=True)
    ]
    if not any(isinstance(side, Connection) for side in sides):
        sides[0] = tensor(sides[0])
    return ml.Where()(truth(condition), *sides)


def masked_fill(self: Any, mask: Any, value: Any, *, at: NodeContext) -> Any:
    return ml.Where()(mask, as_result(value, 2, at), self)


def clamp(self: Any, min: Any = None, max: Any = None, *, at: NodeContext) -> Any:
    if isinstance(min, Connection) or isinstance(max, Connection):
        return clamp_by_tensors(self, min, max)
    floats = at.output.dtype.is_floating_point
    return (as_float(self) if floats else self).clamp(min, max)


def clamp_by_tensors(x: Any, low: Any, high: Any) -> Any:
    """At a limit the gradient belongs to the input."""
    x = x if low is None else ml.Where()(x < low, low, x)
    return x if high is None else ml.Where()(x > high, high, x)


def addcmul(self: Any, tensor1: Any, tensor2: Any, value: Any = 1) -> Any:
    return self + scaled(tensor1 * tensor2, value)


def addcdiv(self: Any, tensor1: Any, tensor2: Any, value: Any = 1) -> Any:
    return self + scaled(tensor1 / tensor2, value)


def lerp(self: Any, end: Any, weight: Any) -> Any:
    return self + (end - self) * weight


def addmm(self: Any, left: Any, right: Any, beta: Any = 1, alpha: Any = 1) -> Any:
    product = scaled(left @ right, alpha)
    return product if beta == 0 else scaled(self, beta) + product


def unary(maker: Any, *, floats: bool = False) -> Builder:
    """An op of one input; `floats`: ints and bools become floats first."""

    def build(self: Any, name: str | None = None) -> Any:
        return maker(name=name)(as_float(self) if floats else self)

    return build


def float_function(function: Builder) -> Builder:
    """A function of floats that several ops compute."""
    return wide(lambda self: function(as_float(self)))


def absolute(self: Any) -> Any:
    return self if is_bool(self) else self.abs()


def whole_numbers(function: Builder) -> Builder:
    """Rounding, which leaves ints alone."""
    return lambda self: function(self) if is_float(self) else self


def is_inf(self: Any) -> Any:
    return self.abs().eq(math.inf) if is_float(self) else self.ne(self)


def rounded(self: Any, decimals: int = 0) -> Any:
    """Halves go to the even neighbour."""
    if not is_float(self) or decimals == 0:
        return ml.Round()(self) if is_float(self) else self
    factor = 10.0 ** abs(decimals)
    if decimals > 0:
        return ml.Round()(self * factor) / factor
    return ml.Round()(self / factor) * factor


def odd(function: Builder) -> Builder:
    """A function with f(-x) = -f(x), computed for the size of x. The slope at 0 is that of x."""

    def build(x: Any) -> Any:
        negative = x < 0
        size = function(ml.Where()(negative, -x, x))
        return ml.Where()(negative, -size, size)

    return build


def complement(x: Any) -> Any:
    """sqrt(1 - x * x)."""
    return ((1.0 - x) * (1.0 + x)).sqrt()


def arcosh(x: Any) -> Any:
    """log(x + sqrt(x * x - 1)) without loss of digits near 1."""
    above = x - 1.0
    return ml.Log1p()(above + (above * (x + 1.0)).sqrt())


def arsinh(x: Any) -> Any:
    """log(x + sqrt(x * x + 1)) without loss of digits near 0."""
    square = ml.Square()(x)
    return ml.Log1p()(x + square / ((square + 1.0).sqrt() + 1.0))


FAR = 1e9  # from here on sqrt(x * x + 1) and sqrt(x * x - 1) are x, also in float64


def far_from(near: Builder) -> Builder:
    """log(2 x) where x * x may overflow, near(x) elsewhere."""

    def build(x: Any) -> Any:
        far = x > FAR
        log = ml.Log()(ml.Where()(far, x, 1.0)) + math.log(2.0)
        return ml.Where()(far, log, near(ml.Where()(far, 1.0, x)))

    return build


def ignoring_nan(maker: Any) -> Builder:
    def build(self: Any, other: Any) -> Any:
        left = ml.Where()(ml.IsNan()(self), other, self)
        return maker()(left, ml.Where()(ml.IsNan()(other), self, other))

    return build


def hypotenuse(self: Any, other: Any) -> Any:
    """sqrt(x * x + y * y), divided by the larger one against overflow."""
    size = ml.StopGradient()(ml.Maximum()(self.abs(), other.abs()))
    size = ml.Where()(size.eq(0.0) | size.eq(math.inf), 1.0, size)
    total = ml.Square()(self / size) + ml.Square()(other / size)
    zero = total.eq(0.0)
    return size * ml.Where()(zero, 0.0, ml.Where()(zero, 1.0, total).sqrt())


def with_sign(self: Any, other: Any) -> Any:
    """|x| with the sign of y, which -0 has, too."""
    y = as_float(tensor(other))
    negative = ml.LogicalOr()(y < 0.0, ml.LogicalAnd()(y.eq(0.0), 1.0 / y < 0.0))
    size = as_float(self).abs()
    return ml.Where()(negative, -size, size)


def polygamma(n: int, self: Any) -> Any:
    return ml.Polygamma(order=n)(as_float(self))


def sign(self: Any) -> Any:
    return self if is_bool(self) else ml.Sign()(self)


def nan_to_num(self: Any, nan: Any = None, posinf: Any = None, neginf: Any = None) -> Any:
    return ml.NanToNum(nan=nan or 0.0, posinf=posinf, neginf=neginf)(self)


TABLE: Table = table(
    (add, "add"),
    (sub, "sub"),
    (rsub, "rsub"),
    (binary(lambda x, y: x * y), "mul"),
    (div, "div", "true_divide"),
    (binary(lambda x, y: x // y), "floor_divide"),
    (binary(lambda x, y: x % y), "remainder"),
    (binary(lambda x, y: ml.Fmod()(x, tensor(y))), "fmod"),
    (power, "pow"),
    (lambda self: -self, "neg"),
    (lambda self, exponent: self**exponent, "float_power"),
    (wide(addcmul), "addcmul"),
    (wide(addcdiv), "addcdiv"),
    (wide(lerp), "lerp"),
    (addmm, "addmm", "baddbmm"),
    (binary(lambda x, y: x.eq(y)), "eq"),
    (binary(lambda x, y: x.ne(y)), "ne"),
    (binary(lambda x, y: x < y), "lt"),
    (binary(lambda x, y: x <= y), "le"),
    (binary(lambda x, y: x > y), "gt"),
    (binary(lambda x, y: x >= y), "ge"),
    (binary(lambda x, y: ml.Maximum()(x, y)), "maximum"),
    (binary(lambda x, y: ml.Minimum()(x, y)), "minimum"),
    (bits(ml.LogicalAnd, ml.BitwiseAnd), "bitwise_and", "__and__"),
    (bits(ml.LogicalOr, ml.BitwiseOr), "bitwise_or", "__or__"),
    (bits(ml.LogicalXOr, ml.BitwiseXOr), "bitwise_xor", "__xor__"),
    (unary(ml.BitwiseNot), "bitwise_not"),
    (lambda self, other: ml.ShiftLeft()(self, other), "bitwise_left_shift", "__lshift__"),
    (lambda self, other: ml.ShiftRight()(self, other), "bitwise_right_shift", "__rshift__"),
    (logical(ml.LogicalAnd), "logical_and"),
    (logical(ml.LogicalOr), "logical_or"),
    (logical(ml.LogicalXOr), "logical_xor"),
    (lambda self: ml.LogicalNot()(truth(self)), "logical_not"),
    (where, "where.self", "where.ScalarOther", "where.ScalarSelf", "where.Scalar"),
    (masked_fill, "masked_fill"),
    (clamp, "clamp", "clip"),
    (lambda self, min, at: clamp(self, min, at=at), "clamp_min"),
    (lambda self, max, at: clamp(self, None, max, at=at), "clamp_max"),
    (absolute, "abs"),
    (sign, "sign", "sgn"),
    (unary(ml.Square), "square"),
    (unary(ml.IsNan), "isnan"),
    (is_inf, "isinf"),
    (unary(ml.Exponential, floats=True), "exp"),
    (unary(ml.Log, floats=True), "log"),
    (unary(ml.Sine, floats=True), "sin"),
    (unary(ml.Cosine, floats=True), "cos"),
    (unary(ml.Erf, floats=True), "erf", "special_erf"),
    (unary(ml.Erfc, floats=True), "erfc", "special_erfc"),
    (unary(ml.Erfinv, floats=True), "erfinv", "special_erfinv"),
    (unary(ml.Lgamma, floats=True), "lgamma", "special_gammaln"),
    (unary(ml.Polygamma, floats=True), "digamma", "special_digamma", "special_psi"),
    (polygamma, "polygamma", "special_polygamma"),
    (unary(ml.Sqrt, floats=True), "sqrt"),
    (whole_numbers(unary(ml.Floor)), "floor"),
    (whole_numbers(lambda x: -(-x).floor()), "ceil"),
    (whole_numbers(unary(ml.Trunc)), "trunc", "fix"),
    (wide(rounded), "round"),
    (unary(ml.Log1p, floats=True), "log1p"),
    (unary(ml.Expm1, floats=True), "expm1", "special_expm1"),
    (unary(ml.Atan, floats=True), "atan"),
    (binary(lambda x, y: ml.Atan2()(as_float(x), as_float(y))), "atan2.default"),
    (float_function(lambda x: ml.Atan2()(x, complement(x))), "asin"),
    (float_function(lambda x: ml.Atan2()(complement(x), x)), "acos"),
    (float_function(odd(far_from(arsinh))), "asinh"),
    (float_function(far_from(arcosh)), "acosh"),
    (float_function(lambda x: (ml.Log1p()(x) - ml.Log1p()(-x)) * 0.5), "atanh"),
    (float_function(lambda x: (ml.Expm1()(x) - ml.Expm1()(-x)) * 0.5), "sinh"),
    (ignoring_nan(ml.Maximum), "fmax"),
    (ignoring_nan(ml.Minimum), "fmin"),
    (lambda self: ml.Item()(self), "_local_scalar_dense", "item"),
    (float_function(lambda x: 1.0 / x.sqrt()), "rsqrt"),
    (float_function(lambda x: 1.0 / x), "reciprocal"),
    (float_function(lambda x: ml.Log()(x) * (1.0 / math.log(2.0))), "log2"),
    (float_function(lambda x: ml.Log()(x) * (1.0 / math.log(10.0))), "log10"),
    (float_function(lambda x: (x * math.log(2.0)).exp()), "exp2", "special_exp2"),
    (float_function(lambda x: x.sin() / x.cos()), "tan"),
    (float_function(unary(ml.Cosh)), "cosh"),
    (nan_to_num, "nan_to_num"),
    (wide(hypotenuse), "hypot"),
    (with_sign, "copysign"),
)
