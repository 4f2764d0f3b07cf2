"""Numbers in [0, 1) with 24 bits."""

import math

import jax.numpy as jnp

from codegen.jax.kernels.random_bits import random_bits


def random_uniform(shape, key, dtype):
    high, _ = random_bits(key, jnp.arange(math.prod(shape), dtype=jnp.uint32))
    numbers = (high >> 8).astype(jnp.float32) * 2.0**-24
    return jnp.reshape(numbers, shape).astype(dtype)
