"""Builders of `ml.from_torch` for operators of complex tensors. Operators that move or add elements
apply to the real and the imaginary parts."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ... import models as ml
from ..._core import Connection
from ..builders import (
    Builder,
    NodeContext,
    Table,
    as_float,
    call,
    internal_op,
    is_float,
    refuse_if,
    table,
)
from ..complex_values import (
    Complex,
    added,
    as_complex,
    cast,
    each_part,
    joined,
    of_pairs,
    pairs_of,
    partwise,
    real_alone,
    real_part,
    real_site,
    rounded_once,
)
from . import fourier
from .arithmetic import hypotenuse


def bilinear(function: Callable[[Any, Any], Any], x: Any, y: Any) -> Complex:
    """A function that is linear in both arguments, one of which may be real."""
    x, y = (as_complex(value) if isinstance(value, complex) else value for value in (x, y))
    if not isinstance(x, Complex):
        return Complex(function(x, y.real), function(x, y.imaginary))
    if not isinstance(y, Complex):
        return Complex(function(x.real, y), function(x.imaginary, y))
    return Complex(
        function(x.real, y.real) - function(x.imaginary, y.imaginary),
        function(x.real, y.imaginary) + function(x.imaginary, y.real),
    )


def product(self: Any, other: Any) -> Complex:
    return bilinear(lambda x, y: x * y, self, other)


def matrix_product(row: Builder) -> Builder:
    def build(self: Any, other: Any, at: NodeContext) -> Any:
        site = real_site(at)
        return bilinear(lambda x, y: call(row, site, x, y), self, other)

    return build


def linear(row: Builder) -> Builder:
    def build(input: Any, weight: Any, bias: Any = None, *, at: NodeContext) -> Any:
        made = matrix_product(row)(input, weight, at)
        if bias is None:
            return made
        more = as_complex(bias)
        return Complex(made.real + more.real, made.imaginary + more.imaginary)

    return build


def conjugate(self: Complex) -> Complex:
    return Complex(self.real, -self.imaginary)


def quotient(self: Any, other: Any, rounding_mode: str | None = None) -> Any:
    """The divisor is divided by its larger part, whose square may overflow."""
    refuse_if(rounding_mode is not None, "rounded")
    if not isinstance(other, Complex | complex):
        return each_part(lambda x: x / other, self)
    x, y = as_complex(self), as_complex(other)
    if not isinstance(y.real, Connection):
        return product(x, 1 / complex(y.real, y.imaginary))
    largest = ml.StopGradient()(ml.Maximum()(y.real.abs(), y.imaginary.abs()))
    small = Complex(y.real / largest, y.imaginary / largest)
    top, bottom = product(x, conjugate(small)), y.real * small.real + y.imaginary * small.imaginary
    return Complex(top.real / bottom, top.imaginary / bottom)


def power(self: Complex, exponent: Any) -> Any:
    whole = isinstance(exponent, int) and 0 < exponent <= 8
    refuse_if(not whole, "of complex numbers, but for whole powers from 1 to 8")
    result = self
    for _ in range(exponent - 1):
        result = product(result, self)
    return result


def magnitude(self: Complex) -> Any:
    return hypotenuse(self.real, self.imaginary)


def phase(self: Any) -> Any:
    """0 or pi of real numbers. The slope at 0 is 0."""
    if not isinstance(self, Complex):
        turned = as_float(self < 0) * math.pi
        return ml.Where()(ml.IsNan()(self), self, turned) if is_float(self) else turned
    x, y = self.real, self.imaginary
    zero = x.eq(0.0) & y.eq(0.0)
    angle = ml.Atan2()(y, ml.Where()(zero, 1.0, x))
    return ml.Where()(zero, ml.StopGradient()(ml.Atan2()(y, x)), angle)


def polar(abs: Any, angle: Any) -> Complex:
    return Complex(abs * angle.cos(), abs * angle.sin())


def exponential(self: Complex) -> Complex:
    return polar(self.real.exp(), self.imaginary)


def logarithm(self: Complex) -> Complex:
    return Complex(ml.Log()(magnitude(self)), phase(self))


def norm(row: Builder) -> Builder:
    def build(self: Complex, *args: Any, at: NodeContext, **kwargs: Any) -> Any:
        named = {key: real_part(value) for key, value in kwargs.items()}
        return call(row, real_site(at), magnitude(self), *args, **named)

    return build


def of_parts(real: Any, imag: Any, at: NodeContext) -> Complex:
    sizes = [list(tensor.shape) for tensor in at.inputs]
    if sizes[0] != sizes[1]:
        real, imag = (x + internal_op("ZerosLike")(y) for x, y in ((real, imag), (imag, real)))
    return Complex(real, imag)


def same(self: Any) -> Any:
    return self


# Rows for tensors of any kind.
TABLE: Table = fourier.TABLE | table(
    (of_parts, "complex"),
    (rounded_once(polar), "polar"),
    (of_pairs, "view_as_complex"),
    (pairs_of, "view_as_real", "view_as_real_copy"),
    (same, "real", "_conj", "conj_physical", "resolve_conj", "resolve_neg"),
    (lambda self: self.imaginary, "imag"),
    (phase, "angle"),
)


def fixed(builder: Builder) -> Callable[[Builder], Builder]:
    return lambda row: builder


# For complex arguments or results: maps a builder for reals to one for complex tensors.
OF_COMPLEX: Table = table(
    (lambda row: row, *(set(TABLE) - {"real", "_conj", "conj_physical", "angle"})),
    (fixed(lambda self: self.real), "real"),
    (fixed(conjugate), "_conj", "conj_physical"),
    (fixed(rounded_once(phase)), "angle"),
    (fixed(rounded_once(magnitude)), "abs"),
    (fixed(rounded_once(product)), "mul"),
    (fixed(rounded_once(quotient)), "div", "true_divide"),
    (fixed(rounded_once(lambda self: quotient(1.0, self))), "reciprocal"),
    (fixed(rounded_once(lambda self: product(self, self))), "square"),
    (fixed(rounded_once(power)), "pow.Tensor_Scalar"),
    (fixed(rounded_once(exponential)), "exp"),
    (fixed(rounded_once(logarithm)), "log"),
    (matrix_product, "matmul", "mm", "bmm", "mv", "dot"),
    (linear, "linear"),
    (norm, "linalg_vector_norm", "linalg_norm", "norm"),
    (added, "add", "sub", "rsub"),
    (joined(1, 2), "where.self", "where.ScalarOther", "where.ScalarSelf"),
    (joined(0, 2), "masked_fill", "constant_pad_nd", "index_put"),
    (joined(0, 3), "pad"),
    (joined(0), "cat", "concat", "stack", "scalar_tensor"),
    (joined(0, 1), "copy", "fill", "slice_scatter", "select_scatter"),
    (joined(1), "full", "full_like"),
    (joined(2), "new_full"),
    (real_alone, "ones", "ones_like", "new_ones"),
    (cast, "to", "_to_copy", "type_as"),
    *(
        (partwise, *names)
        for names in (
            ("zeros", "zeros_like", "new_zeros", "empty", "empty_like", "new_empty"),
            ("clone", "contiguous", "alias", "lift_fresh_copy", "lift_fresh", "detach"),
            ("neg", "sum", "mean", "cumsum", "diff"),
            ("view", "reshape", "_unsafe_view", "view_as", "reshape_as", "flatten", "unflatten"),
            ("permute", "transpose", "swapaxes", "swapdims", "movedim", "moveaxis", "t"),
            ("numpy_T", "mT", "unsqueeze", "squeeze", "expand", "expand_as"),
            ("slice.Tensor", "select.int", "narrow", "split", "split_with_sizes", "chunk"),
            ("unbind", "flip", "roll", "repeat", "tile", "repeat_interleave", "tril", "triu"),
            ("index", "index_select", "gather", "take", "diagonal", "unfold"),
        )
    ),
)


def of_complex(name: str, overload: str, row: Builder) -> Builder:
    """The builder of an operator of complex tensors, by that of reals."""
    made = OF_COMPLEX.get(f"{name}.{overload}", OF_COMPLEX.get(name))
    refuse_if(made is None, "of complex numbers")
    assert made is not None
    builder: Builder = made(row)
    return builder
