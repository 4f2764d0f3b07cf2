"""The first values of parameters, for `model.set_initializer(key, initializer)`.

A fan in is the product of the dims after the first, a fan out that of all dims but the second.
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
    """All elements are 0."""
    return Initializer("zeros")


def ones() -> Initializer:
    """All elements are 1."""
    return Initializer("ones")


@checked_kinds
def constant(value: float) -> Initializer:
    """All elements are `value`."""
    return Initializer("constant", a=value)


@checked_kinds
def uniform(low: float = 0.0, high: float = 1.0) -> Initializer:
    """Uniform in [low, high)."""
    return Initializer("uniform", a=low, b=high)


@checked_kinds
def normal(mean: float = 0.0, std: float = 1.0) -> Initializer:
    """Normal with this mean and standard deviation."""
    return Initializer("normal", a=mean, b=std)


@checked_kinds
def xavier_uniform(gain: float = 1.0) -> Initializer:
    """torch.nn.init.xavier_uniform_: uniform in ±gain * sqrt(6 / (fan in + fan out))."""
    return Initializer("uniform_fan_mean", b=gain * math.sqrt(3))


@checked_kinds
def xavier_normal(gain: float = 1.0) -> Initializer:
    """torch.nn.init.xavier_normal_: the deviation is gain * sqrt(2 / (fan in + fan out))."""
    return Initializer("normal_fan_mean", b=gain)


@checked_kinds
def kaiming_uniform(gain: float = RELU_GAIN, mode: str = "fan_in") -> Initializer:
    """torch.nn.init.kaiming_uniform_: uniform in ±gain * sqrt(3 / fan); by default for ReLU."""
    return Initializer(f"uniform_{_fan(mode)}", b=gain * math.sqrt(3))


@checked_kinds
def kaiming_normal(gain: float = RELU_GAIN, mode: str = "fan_in") -> Initializer:
    """torch.nn.init.kaiming_normal_: the deviation is gain / sqrt(fan); by default for ReLU."""
    return Initializer(f"normal_{_fan(mode)}", b=gain)


def _fan(mode: str) -> str:
    if mode not in ("fan_in", "fan_out"):
        _core.unknown_name("E0605", "mode of an initializer", mode, ["fan_in", "fan_out"])
    return mode
