"""The recurrent layers of benchmarks/recurrent.py in JAX."""

from __future__ import annotations

from collections.abc import Callable

import jax
import numpy as np
import torch
from jax import numpy as jnp

Call = Callable[[], np.ndarray]


def layer_of(layer: torch.nn.RNNBase) -> tuple[dict, Callable]:
    """The parameters, and a function of them and of the input. The input products are one GEMM."""
    width = layer.hidden_size

    def lstm(of_input: jax.Array, state: tuple, p: dict) -> tuple:
        h, c = state
        i, f, g, o = jnp.split(of_input + h @ p["weight_hh"].T, 4, -1)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        return jax.nn.sigmoid(o) * jnp.tanh(c), c

    def gru(of_input: jax.Array, state: tuple, p: dict) -> tuple:
        of_state = jnp.split(state[0] @ p["weight_hh"].T + p["bias_hh"], 3, -1)
        of_input = jnp.split(of_input, 3, -1)
        r, z = (jax.nn.sigmoid(of_input[k] + of_state[k]) for k in (0, 1))
        n = jnp.tanh(of_input[2] + r * of_state[2])
        return ((1 - z) * n + z * state[0],)

    cell = {"LSTM": lstm, "GRU": gru}[layer.mode]

    def run(params: dict, x: jax.Array) -> jax.Array:
        for k in range(layer.num_layers):
            p = {key[: -len(f"_l{k}")]: a for key, a in params.items() if key.endswith(f"_l{k}")}
            bias = p["bias_ih"] + (p["bias_hh"] if layer.mode == "LSTM" else 0)
            zeros = jnp.zeros((x.shape[1], width), x.dtype)
            state = (zeros,) * (2 if layer.mode == "LSTM" else 1)

            def step(state: tuple, of_input: jax.Array, p: dict = p) -> tuple:
                state = cell(of_input, state, p)
                return state, state[0]

            x = jax.lax.scan(step, state, x @ p["weight_ih"].T + bias)[1]
        return x

    return {key: jnp.asarray(p.detach().numpy()) for key, p in layer.named_parameters()}, run


def inference(layer: torch.nn.RNNBase, x: torch.Tensor, threads: int) -> Call:
    """`threads` counts in the environment of the process (see benchmarks/recurrent.py)."""
    params, run = layer_of(layer)
    compiled, data = jax.jit(run), jnp.asarray(x.numpy())
    return lambda: np.asarray(compiled(params, data))


def training(layer: torch.nn.RNNBase, x: torch.Tensor, target: torch.Tensor, rate: float) -> Call:
    params, run = layer_of(layer)
    data, wanted = jnp.asarray(x.numpy()), jnp.asarray(target.numpy())

    def step(params: dict) -> tuple:
        def loss(params: dict) -> jax.Array:
            return jnp.square(run(params, data) - wanted).mean()

        value, slopes = jax.value_and_grad(loss)(params)
        return jax.tree.map(lambda old, slope: old - rate * slope, params, slopes), value

    compiled = jax.jit(step, donate_argnums=0)

    def call() -> np.ndarray:
        nonlocal params
        params, value = compiled(params)
        jax.block_until_ready(params)
        return np.asarray(value)

    return call
