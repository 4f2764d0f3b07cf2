"""The initial values of parameters, for `model.set_initializer(key, initializer)`.

The fan in of a parameter is the product of its dims after the first. Its fan out is the product of
all dims except the second.
"""

import math

from . import _core
from ._core import Initializer
from ._internal.arguments import checked_kinds

__all__ = [
    "constant",
    "kaiming_normal",
    "kaiming_uniform",
    "normal",
    "ones",
    "uniform",
    "xavier_normal",
    "xavier_uniform",
    "zeros",
]

RELU_GAIN = math.sqrt(2)


def zeros() -> Initializer:
    """Returns an initializer that sets all elements to 0.

    Example:
        model.set_initializer("bias", ml.initializers.zeros())

    See docs/semantics.md.
    """
    return Initializer("zeros")


def ones() -> Initializer:
    """Returns an initializer that sets all elements to 1.

    Example:
        model.set_initializer("weight", ml.initializers.ones())

    See docs/semantics.md.
    """
    return Initializer("ones")


@checked_kinds
def constant(value: float) -> Initializer:
    """Returns an initializer that sets all elements of a parameter of any shape to `value`.

    Raises:
        TypeError: If `value` is not a number.

    Example:
        model.set_initializer("bias", ml.initializers.constant(0.1))

    See docs/semantics.md.
    """
    return Initializer("constant", a=value)


@checked_kinds
def uniform(low: float = 0.0, high: float = 1.0) -> Initializer:
    """Returns an initializer that draws uniformly from [low, high).

    Example:
        model.set_initializer("weight", ml.initializers.uniform(-0.1, 0.1))

    See docs/semantics.md.
    """
    return Initializer("uniform", a=low, b=high)


@checked_kinds
def normal(mean: float = 0.0, std: float = 1.0) -> Initializer:
    """Returns an initializer that draws from a normal distribution.

    Example:
        model.set_initializer("weight", ml.initializers.normal(std=0.02))

    See docs/semantics.md.
    """
    return Initializer("normal", a=mean, b=std)


@checked_kinds
def xavier_uniform(gain: float = 1.0) -> Initializer:
    """Returns an initializer as torch.nn.init.xavier_uniform_.

    It draws uniformly from ±gain * sqrt(6 / (fan in + fan out)).

    Example:
        model.set_initializer("weight", ml.initializers.xavier_uniform())

    See docs/semantics.md.
    """
    return Initializer("uniform_fan_mean", b=gain * math.sqrt(3))


@checked_kinds
def xavier_normal(gain: float = 1.0) -> Initializer:
    """Returns an initializer as torch.nn.init.xavier_normal_.

    The standard deviation is gain * sqrt(2 / (fan in + fan out)).

    Example:
        model.set_initializer("weight", ml.initializers.xavier_normal(gain=0.5))

    See docs/semantics.md.
    """
    return Initializer("normal_fan_mean", b=gain)


@checked_kinds
def kaiming_uniform(gain: float = RELU_GAIN, mode: str = "fan_in") -> Initializer:
    """Returns an initializer as torch.nn.init.kaiming_uniform_.

    It draws uniformly from ±gain * sqrt(3 / fan). The default gain is that of ReLU.

    Args:
        gain: factor of the bound.
        mode: "fan_in" or "fan_out".

    Raises:
        NameError: If the mode is unknown.

    Example:
        model.set_initializer("weight", ml.initializers.kaiming_uniform(mode="fan_out"))

    See docs/semantics.md.
    """
    return Initializer(f"uniform_{_fan(mode)}", b=gain * math.sqrt(3))


@checked_kinds
def kaiming_normal(gain: float = RELU_GAIN, mode: str = "fan_in") -> Initializer:
    """Returns an initializer as torch.nn.init.kaiming_normal_.

    The standard deviation is gain / sqrt(fan). The default gain is that of ReLU.

    Args:
        gain: factor of the standard deviation.
        mode: "fan_in" or "fan_out".

    Raises:
        NameError: If the mode is unknown.

    Example:
        model.set_initializer("weight", ml.initializers.kaiming_normal())

    See docs/semantics.md.
    """
    return Initializer(f"normal_{_fan(mode)}", b=gain)


def _fan(mode: str) -> str:
    if mode not in ("fan_in", "fan_out"):
        _core.unknown_member("E0605", "an initializer", "mode", mode, ["fan_in", "fan_out"])
    return mode
