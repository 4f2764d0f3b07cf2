"""Conversions of activations for `ml.from_torch`."""

from __future__ import annotations

from typing import Any

from ... import models as ml
from ..builders import (
    Builder,
    NodeContext,
    Table,
    along,
    as_float,
    converted,
    refuse_if,
    size,
    table,
    wide,
)
from .arithmetic import unary


def softmax(maker: Any) -> Builder:
    """softmax.int has a dtype, _softmax a flag; both are in the dtype of the output."""

    def build(
        self: Any, dim: int, dtype: Any = None, name: str | None = None, *, at: NodeContext
    ) -> Any:
        given = converted(self, at.inputs[0].dtype, at.output.dtype, at.main)
        return maker(axis=dim, name=name)(given)

    return build


def leaky_relu(self: Any, negative_slope: float = 0.01, name: str | None = None) -> Any:
    return ml.LeakyRelu(slope=negative_slope, name=name)(self)


def prelu(self: Any, weight: Any) -> Any:
    """The weight has one slope for each channel, which is the second axis."""
    if weight.dims != [1]:
        weight = weight.reshape((-1, *(1,) * (len(self.dims or []) - 2)))
    return ml.Where()(self > 0, self, self * weight)


def prelu_kernel(self: Any, weight: Any) -> Any:
    return ml.Where()(self > 0, self, self * weight)


def gelu(self: Any, approximate: str = "none", name: str | None = None) -> Any:
    return ml.Gelu(approximate=approximate == "tanh", name=name)(self)


def silu(self: Any, name: str | None = None) -> Any:
    return ml.Multiply(name=name)(self, ml.Sigmoid()(self))


def softplus(self: Any, beta: float = 1, threshold: float = 20) -> Any:
    """Torch leaves out what is below the rounding of float32 beyond the threshold."""
    scaled = self if beta == 1 else self * beta
    smooth = ml.Softplus()(scaled)
    return ml.Where()(scaled > threshold, self, smooth if beta == 1 else smooth / beta)


def mish(self: Any) -> Any:
    return self * ml.Tanh()(softplus(self))


def log_sigmoid(self: Any) -> Any:
    return -ml.Softplus()(-self)


def elu(self: Any, alpha: float = 1.0, scale: float = 1.0, input_scale: float = 1.0) -> Any:
    """The clamp keeps exp finite where it is not chosen."""
    below = self.clamp(None, 0.0)
    below = below if input_scale == 1 else below * input_scale
    negative = ml.Expm1()(below) * (alpha * scale)
    return ml.Where()(self > 0, self if scale == 1 else self * scale, negative)


def celu(self: Any, alpha: float = 1.0) -> Any:
    return elu(self, alpha, 1.0, 1.0 / alpha)


def selu(self: Any) -> Any:
    return elu(self, 1.6732632423543772848170429916717, 1.0507009873554804934193349852946)


def hardtanh(self: Any, min_val: float = -1.0, max_val: float = 1.0, *, at: NodeContext) -> Any:
    """Unlike a clamp it has no slope at its limits."""
    if not at.output.dtype.is_floating_point:
        return self.clamp(min_val, max_val)
    inside = (self > min_val) & (self < max_val)
    limit = as_float(self >= max_val) * float(max_val - min_val) + float(min_val)
    return ml.Where()(inside, self, limit)


def relu6(self: Any, at: NodeContext) -> Any:
    return hardtanh(self, 0.0, 6.0, at=at)


def hardsigmoid(self: Any, at: NodeContext) -> Any:
    return relu6(self + 3.0, at) / 6.0


def hardswish(self: Any, at: NodeContext) -> Any:
    return self * hardsigmoid(self, at)


def threshold(self: Any, threshold: Any, value: Any) -> Any:
    return ml.Where()(self > threshold, self, value)


def shrink(outside: Builder) -> Builder:
    """Zero between -lambd and lambd. NaN stays."""

    def build(self: Any, lambd: float = 0.5) -> Any:
        inside = (self >= -lambd) & (self <= lambd)
        return ml.Where()(inside, self * 0.0, outside(self, lambd))

    return build


def glu(self: Any, dim: int = -1) -> Any:
    half = size(self, dim) // 2
    left, right = self[along(dim, slice(None, half))], self[along(dim, slice(half, None))]
    return left * ml.Sigmoid()(right)


def rrelu(
    self: Any,
    noise: Any,
    lower: float = 0.125,
    upper: float = 1 / 3,
    training: bool = False,
    generator: Any = None,
) -> Any:
    refuse_if(training, "while training")
    return leaky_relu(self, (lower + upper) / 2)


def rrelu_function(
    self: Any,
    lower: float = 0.125,
    upper: float = 1 / 3,
    training: bool = False,
    generator: Any = None,
) -> Any:
    return rrelu(self, None, lower, upper, training)


TABLE: Table = table(
    (unary(ml.Relu), "relu"),
    (relu6, "relu6"),
    (leaky_relu, "leaky_relu"),
    (wide(prelu), "prelu"),
    (prelu_kernel, "_prelu_kernel"),
    (gelu, "gelu"),
    (silu, "silu"),
    (wide(mish), "mish"),
    (wide(elu), "elu"),
    (wide(celu), "celu"),
    (wide(selu), "selu"),
    (wide(softplus), "softplus"),
    (wide(log_sigmoid), "log_sigmoid"),
    (hardtanh, "hardtanh"),
    (wide(hardsigmoid), "hardsigmoid"),
    (wide(hardswish), "hardswish"),
    (threshold, "threshold"),
    (shrink(lambda x, by: x), "hardshrink"),
    (wide(shrink(lambda x, by: x - ml.Sign()(x) * by)), "softshrink"),
    (wide(glu), "glu"),
    (rrelu, "rrelu_with_noise"),
    (rrelu_function, "rrelu"),
    (unary(ml.Sigmoid, floats=True), "sigmoid", "special_expit"),
    (unary(ml.Tanh, floats=True), "tanh"),
    (softmax(ml.Softmax), "softmax.int", "_softmax", "special_softmax"),
    (softmax(ml.LogSoftmax), "log_softmax.int", "_log_softmax", "special_log_softmax"),
)
