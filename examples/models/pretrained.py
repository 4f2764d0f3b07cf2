"""What the models of this folder share: configurations and weights as Hugging Face stores them, and
attention with a cache or without one."""

import dataclasses
import json
import re
from pathlib import Path

from mithril._core import raise_error, unknown_name

import mithril as ml

ACTIVATIONS = {
    "gelu": ml.Gelu,
    "gelu_new": lambda: ml.Gelu(approximate=True),
    "gelu_pytorch_tanh": lambda: ml.Gelu(approximate=True),
    "quick_gelu": ml.QuickGelu,
    "relu": ml.Relu,
    "relu6": ml.Relu6,
    "silu": ml.SiLU,
    "swish": ml.SiLU,
}


def activation(name):
    """The part that a `config.json` calls `name`."""
    if name not in ACTIVATIONS:
        unknown_name("E0627", "activation", name, list(ACTIVATIONS))
    return ACTIVATIONS[name]()


class Context:
    """The tokens that each token of a text attends to: itself and the tokens before it, or the last
    `window` of these. With a limit the tokens of earlier evaluations are in caches of as many rows
    (docs/generation.md)."""

    def __init__(self, mask, limit=None, window=None):
        self.limit = limit
        if limit is not None:
            self.start, self.positions, self.allowed = ml.CachePositions(limit, window=window)(mask)
            return
        self.positions = ml.Maximum()(ml.Cumsum(axis=1)(mask.cast(ml.int64)) - 1, 0)
        self.allowed = mask[:, None]
        if window is not None:
            places = ml.Arange()(mask.shape[1])
            self.allowed = self.allowed & (places[:, None] - places < window)

    def attend(self, query, key, value):
        """Attends with queries [N, groups, count, L, D]; a group shares one key and one value."""
        if self.limit is not None:
            key = ml.KeyValueCache(self.limit)(input=key, start=self.start)
            value = ml.KeyValueCache(self.limit)(input=value, start=self.start)
        attend = ml.ScaledDotProduct(is_causal=self.limit is None, use_attn_mask=True)
        mask = self.allowed[:, None, None]
        return attend(query=query, key=key, value=value, attn_mask=mask)

    def read(self, x):
        """The rows of [N, L, D] of which logits are made: with a cache the last one."""
        return x if self.limit is None else x[:, -1:]


def refuse(path, expected, value):
    """InputError E0866; `expected` is a text."""
    facts = [("expected", expected), ("got", json.dumps(value))]
    message = "the models of this package do not have this setting"
    raise_error("InputError", "E0866", message, path=path, facts=facts)


def require(fields, name, expected):
    """InputError E0866 unless the field is absent, null or `expected`."""
    value = fields.get(name)
    if value is not None and value != expected:
        refuse(f"config.json: {name}", json.dumps(expected), value)


def config_from(cls, fields):
    """A configuration of the dataclass `cls` from the fields of a `config.json`. Fields that `cls`
    does not have are left out; fields that the file does not have keep their defaults. Settings
    that change results, of which the model has one value (`cls.requires`), must have this value."""
    for name, expected in getattr(cls, "requires", {}).items():
        require(fields, name, expected)
    known = {field.name for field in dataclasses.fields(cls)}
    return cls(**{key: value for key, value in fields.items() if key in known})


def read_config(cls, folder):
    return config_from(cls, json.loads((Path(folder) / "config.json").read_text()))


def read_weights(example, folder):
    """The weights in a folder of Hugging Face by the names of the model in the module `example`."""
    weights = ml.load_safetensors(str(folder))
    return renamed(weights, example.NAMES, getattr(example, "TRANSPOSED", "(?!)"))


def renamed(weights, names, transposed="(?!)"):
    """Weights by the names of a model.

    `names` maps a regular expression to its replacement, or to None for a tensor that the model
    does not have. All rules apply to each name, in order. A tensor whose new name matches
    `transposed` as a whole is transposed."""
    result = {}
    for name, weight in weights.items():
        new = rename(name, names)
        if new is not None:
            result[new] = weight.T if re.fullmatch(transposed, new) else weight
    return result


def rename(name, names):
    for pattern, replacement in names.items():
        if replacement is not None:
            name = re.sub(pattern, replacement, name)
        elif re.fullmatch(pattern, name):
            return None
    return name
