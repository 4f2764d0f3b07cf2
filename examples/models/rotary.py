"""Rotary embeddings as `config.json` states them, also those that are scaled for texts which are
longer than the texts of the training."""

import math
from typing import NamedTuple

from mithril.architectures.pretrained import refuse

import mithril as ml


class Rotation(NamedTuple):
    """Rotates queries and keys. https://arxiv.org/abs/2104.09864"""

    theta: float
    frequencies: list | None  # the angle of each pair at position 1; None: as theta says
    attention_factor: float  # of the lengths of queries and keys

    def __call__(self, x, positions):
        chosen = {"frequencies": self.frequencies} if self.frequencies else {"base": self.theta}
        layer = ml.RotaryEmbedding(**chosen, use_positions=True)
        rotated = layer(input=x, positions=positions)
        return rotated if self.attention_factor == 1 else rotated * self.attention_factor


class Settings:
    """`rope_scaling` or `rope_parameters` of a configuration. Those that are not read are refused,
    as are values that no rotation has: InputError E0866."""

    def __init__(self, config):
        name = "rope_scaling" if config.rope_scaling else "rope_parameters"
        self.config, self.place = config, f"config.json: {name}"
        given = getattr(config, name) or {}
        if not isinstance(given, dict):
            refuse(self.place, "an object", given)
        self.unread = {key: value for key, value in given.items() if value is not None}
        self.theta = self.number("rope_theta", config.rope_theta)
        size = config.head_dim
        self.frequencies = [self.theta ** (-i / size) for i in range(0, size, 2)]

    def number(self, name, default=None):
        value = self.unread.pop(name, default)
        if type(value) not in (int, float) or not 0 < value < math.inf:
            self.refuse(name, "a number above 0", value)
        return value

    def optional(self, name):
        return self.number(name) if name in self.unread else None

    def trained_length(self):
        config, name = self.config, "original_max_position_embeddings"
        return getattr(config, name) or self.number(name, config.max_position_embeddings)

    def refuse(self, name, expected, value):
        refuse(f"{self.place}: {name}", expected, value)


def interpolated(frequency, factor, share):
    """Between the frequency (share 0) and the frequency divided by the factor (share 1)."""
    return frequency * (1 - share + share / factor)


def within_1(number):
    return min(max(number, 0.0), 1.0)


def default(settings):
    return Rotation(settings.theta, None, 1.0)


def linear(settings):
    """https://arxiv.org/abs/2306.15595"""
    factor = settings.number("factor")
    return Rotation(settings.theta, [frequency / factor for frequency in settings.frequencies], 1.0)


def llama3(settings):
    """Llama 3.1: slows the pairs that turn rarely within a text of the training."""
    factor = settings.number("factor")
    low, high = settings.number("low_freq_factor"), settings.number("high_freq_factor")
    if high <= low:
        settings.refuse("high_freq_factor", f"a number above low_freq_factor, {low}", high)
    length = settings.trained_length()

    def scaled(frequency):
        turns = length * frequency / (2 * math.pi)
        return interpolated(frequency, factor, within_1((high - turns) / (high - low)))

    return Rotation(settings.theta, [scaled(frequency) for frequency in settings.frequencies], 1.0)


def yarn(settings):
    """https://arxiv.org/abs/2309.00071"""
    length, count = settings.trained_length(), len(settings.frequencies)
    factor = settings.number("factor", settings.config.max_position_embeddings / length)

    def pair(turns):
        """The pair that turns as often within a text of the training."""
        return count * math.log(length / (2 * math.pi * turns)) / math.log(settings.theta)

    first = pair(settings.number("beta_fast", 32))
    last = pair(settings.number("beta_slow", 1))
    if settings.unread.pop("truncate", True):
        first, last = math.floor(first), math.ceil(last)
    first, last = max(first, 0), min(last, 2 * count - 1)
    width = last - first or 0.001
    frequencies = [
        interpolated(frequency, factor, within_1((i - first) / width))
        for i, frequency in enumerate(settings.frequencies)
    ]
    return Rotation(settings.theta, frequencies, attention_factor(settings, factor))


def attention_factor(settings, factor):
    stated = settings.optional("attention_factor")
    scale, scale_of_all = settings.optional("mscale"), settings.optional("mscale_all_dim")

    def of(scale):
        return 1 + 0.1 * scale * math.log(max(factor, 1))

    if stated is not None:
        return stated
    return of(scale) / of(scale_of_all) if scale and scale_of_all else of(1)


TYPES = {"default": default, "linear": linear, "llama3": llama3, "yarn": yarn}
# Fields that transformers does not read, either.
WITHOUT_EFFECT = ("rope_type", "type", "original_max_position_embeddings", "finetuned")


def rotation(config):
    """Reads `rope_theta`, `rope_scaling`, `rope_parameters`, `head_dim`, `max_position_embeddings`
    and `original_max_position_embeddings` of the configuration, as transformers does."""
    settings = Settings(config)
    name = "rope_type" if "rope_type" in settings.unread else "type"
    kind = settings.unread.get(name, "default")
    if kind not in list(TYPES):
        settings.refuse(name, ", ".join(TYPES), kind)
    found = TYPES[kind](settings)
    for name, value in settings.unread.items():
        if name not in WITHOUT_EFFECT and (name, value) != ("partial_rotary_factor", 1):
            settings.refuse(name, "null", value)
    return found
