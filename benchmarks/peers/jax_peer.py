"""JAX: jit of the transcribed models, and of training steps with donated state."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from benchmarks.peers.jax_networks import Network, Weights, network_of
from benchmarks.peers.variants import Loaded, Variant
from benchmarks.peers.workloads import LEARNING_RATES, WORKLOADS

VERSION = jax.__version__
Loss = Callable[[Weights], jax.Array]
Step = Callable[[Any], tuple[Any, jax.Array]]


def loss_of(network: Network, inputs: list[jax.Array], target: jax.Array) -> Loss:
    def squared(weights: Weights) -> jax.Array:
        return jnp.square(network(weights, *inputs) - target).mean()

    def cross_entropy(weights: Weights) -> jax.Array:
        logarithms = jax.nn.log_softmax(network(weights, *inputs))
        return -jnp.take_along_axis(logarithms, target[:, None], 1).mean()

    return squared if target.dtype == jnp.float32 else cross_entropy


def descent(loss: Loss, weights: Weights) -> tuple[Any, Step]:
    rate = LEARNING_RATES["sgd"]

    def step(weights: Weights) -> tuple[Weights, jax.Array]:
        value, gradients = jax.value_and_grad(loss)(weights)
        return jax.tree.map(lambda old, slope: old - rate * slope, weights, gradients), value

    return weights, step


def adam(loss: Loss, weights: Weights) -> tuple[Any, Step]:
    rate = LEARNING_RATES["adam"]

    def step(state: tuple[Weights, Weights, Weights, jax.Array]) -> tuple[Any, jax.Array]:
        weights, means, squares, count = state
        value, gradients = jax.value_and_grad(loss)(weights)
        count = count + 1
        means = jax.tree.map(lambda mean, slope: 0.9 * mean + 0.1 * slope, means, gradients)
        squares = jax.tree.map(
            lambda square, slope: 0.999 * square + 0.001 * slope * slope, squares, gradients
        )
        mean_bias, square_bias = 1 - 0.9**count, 1 - 0.999**count

        def moved(old: jax.Array, mean: jax.Array, square: jax.Array) -> jax.Array:
            return old - rate * (mean / mean_bias) / (jnp.sqrt(square / square_bias) + 1e-8)

        return (jax.tree.map(moved, weights, means, squares), means, squares, count), value

    def zeros() -> Weights:
        filled: Weights = jax.tree.map(jnp.zeros_like, weights)
        return filled

    return (weights, zeros(), zeros(), jnp.float32(0)), step


def training(loss: Loss, weights: Weights, optimizer: str) -> Loaded:
    state, step = {"adam": adam, "sgd": descent}[optimizer](loss, weights)
    compiled = jax.jit(step, donate_argnums=0)

    def call() -> jax.Array:
        nonlocal state
        state, value = compiled(state)
        jax.block_until_ready(state)
        return value

    return Loaded(call, float)


def load(name: str, variant: Variant, threads: int, folder: Path) -> Callable[[], Loaded]:
    arrays = {key: jnp.asarray(array) for key, array in np.load(folder / "inputs.npz").items()}
    weights = {key: jnp.asarray(array) for key, array in np.load(folder / "params.npz").items()}
    target = arrays.pop("y", None)
    inputs = list(arrays.values())
    network = network_of(name)

    def loaded() -> Loaded:
        optimizer = WORKLOADS[name].optimizer
        if optimizer is not None and target is not None:
            return training(loss_of(network, inputs, target), weights, optimizer)
        compiled = jax.jit(network)
        return Loaded(lambda: compiled(weights, *inputs).block_until_ready(), np.asarray)

    return loaded
