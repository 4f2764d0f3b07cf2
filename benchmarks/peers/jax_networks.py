"""The measured models for JAX, as functions of the weights by name and the inputs."""

from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

Weights = dict[str, jax.Array]
Network = Callable[..., jax.Array]
EPSILON = 1e-5


def linear(weights: Weights, name: str, x: jax.Array) -> jax.Array:
    product = x @ weights[name + ".weight"].T
    bias = weights.get(name + ".bias")
    return product if bias is None else product + bias


def layer_norm(weights: Weights, name: str, x: jax.Array) -> jax.Array:
    prefix = name + "." if name else ""
    centred = x - x.mean(-1, keepdims=True)
    variance = jnp.square(centred).mean(-1, keepdims=True)
    scaled = centred * lax.rsqrt(variance + EPSILON)
    return scaled * weights[prefix + "weight"] + weights[prefix + "bias"]


def mlp(weights: Weights, x: jax.Array) -> jax.Array:
    last = sum(name.endswith(".weight") for name in weights) - 1
    for layer in range(last):
        x = jax.nn.relu(linear(weights, f"l.{layer}", x))
    return linear(weights, f"l.{last}", x)


def gelu_chain(weights: Weights, x: jax.Array, residual: jax.Array) -> jax.Array:
    return jax.nn.gelu(x * 1.1 + 0.3, approximate=False) * 0.7 + residual


def softmax(weights: Weights, x: jax.Array) -> jax.Array:
    return jax.nn.softmax(x, -1)


def rows_normed(weights: Weights, x: jax.Array) -> jax.Array:
    return layer_norm(weights, "", x)


def transformer(heads: int, layers: int, is_gpt: bool = False) -> Network:
    def attention(weights: Weights, name: str, x: jax.Array) -> jax.Array:
        batch, tokens, width = x.shape
        by_heads = (batch, tokens, heads, width // heads)
        query, key, value = (
            part.reshape(by_heads).transpose(0, 2, 1, 3)
            for part in jnp.split(linear(weights, name + ".qkv", x), 3, -1)
        )
        scores = query @ key.transpose(0, 1, 3, 2) / np.float32(np.sqrt(width // heads))
        if is_gpt:
            scores = jnp.where(jnp.tril(jnp.ones((tokens, tokens), bool)), scores, -1e9)
        mixed = (jax.nn.softmax(scores, -1) @ value).transpose(0, 2, 1, 3)
        return linear(weights, name + ".o", mixed.reshape(batch, tokens, width))

    def feed_forward(weights: Weights, name: str, x: jax.Array) -> jax.Array:
        hidden = jax.nn.gelu(linear(weights, name + ".f1", x), approximate=False)
        return linear(weights, name + ".f2", hidden)

    def layer(weights: Weights, name: str, x: jax.Array) -> jax.Array:
        if is_gpt:
            x = x + attention(weights, name + ".a", layer_norm(weights, name + ".n1", x))
            return x + feed_forward(weights, name, layer_norm(weights, name + ".n2", x))
        x = layer_norm(weights, name + ".n1", x + attention(weights, name + ".a", x))
        return layer_norm(weights, name + ".n2", x + feed_forward(weights, name, x))

    def network(weights: Weights, tokens: jax.Array) -> jax.Array:
        x = weights["e.weight"][tokens] + weights["p"][: tokens.shape[1]]
        for index in range(layers):
            x = layer(weights, f"l.{index}", x)
        x = layer_norm(weights, "n", x)
        return linear(weights, "lm", x) if is_gpt else x

    return network


def convolved(
    weights: Weights, convolution: str, norm: str, x: jax.Array, stride: int = 1
) -> jax.Array:
    """A convolution that keeps the size but for its stride, and a batch norm."""
    kernel = weights[convolution + ".weight"]
    padding = kernel.shape[-1] // 2
    out = lax.conv_general_dilated(
        x,
        kernel,
        (stride, stride),
        [(padding, padding)] * 2,
        dimension_numbers=("NCHW", "OIHW", "NCHW"),
    )
    scale = weights[norm + ".weight"] * lax.rsqrt(weights[norm + ".running_var"] + EPSILON)
    shift = weights[norm + ".bias"] - weights[norm + ".running_mean"] * scale
    return out * scale[:, None, None] + shift[:, None, None]


def residual_block(weights: Weights, name: str, x: jax.Array, stride: int) -> jax.Array:
    def layer(x: jax.Array, index: int, stride: int = 1) -> jax.Array:
        return convolved(weights, f"{name}.c{index}", f"{name}.b{index}", x, stride)

    if f"{name}.c3.weight" in weights:
        hidden = jax.nn.relu(layer(jax.nn.relu(layer(x, 1)), 2, stride))
        hidden = layer(hidden, 3)
    else:
        hidden = layer(jax.nn.relu(layer(x, 1, stride)), 2)
    if f"{name}.d.0.weight" in weights:
        x = convolved(weights, f"{name}.d.0", f"{name}.d.1", x, stride)
    return jax.nn.relu(hidden + x)


def residual_network(weights: Weights, x: jax.Array) -> jax.Array:
    x = jax.nn.relu(convolved(weights, "c", "b", x, 2))
    sides = ((0, 0), (0, 0), (1, 1), (1, 1))
    x = lax.reduce_window(x, -np.inf, lax.max, (1, 1, 3, 3), (1, 1, 2, 2), sides)
    index, width_before = 0, 64
    while f"body.{index}.c1.weight" in weights:
        width = weights[f"body.{index}.c1.weight"].shape[0]
        stride = 2 if width != width_before else 1
        x = residual_block(weights, f"body.{index}", x, stride)
        index, width_before = index + 1, width
    return linear(weights, "fc", x.mean((2, 3)))


# By the prefix of a workload's name, without the suffix for training.
NETWORKS: dict[str, Network] = {
    "deepmlp": mlp,
    "mlp": mlp,
    "gelu_chain": gelu_chain,
    "softmax": softmax,
    "layernorm": rows_normed,
    "bertmini": transformer(4, 4),
    "bertbase": transformer(12, 12),
    "gpt2": transformer(12, 12, is_gpt=True),
    "resnet": residual_network,
}


def network_of(name: str) -> Network:
    asked = name.removeprefix("train_")
    return next(network for start, network in NETWORKS.items() if asked.startswith(start))
