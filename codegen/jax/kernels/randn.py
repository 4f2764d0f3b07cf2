"""Numbers of mean 0 and deviation 1 (Box and Muller)."""

import jax.numpy as jnp

from codegen.jax.kernels.random_bits import random_numbers
from codegen.jax.kernels.shape_of import shape_of


def randn(shape, key, dtype):
    shape = shape_of(shape)
    radius = jnp.sqrt(-2 * jnp.log(1 - random_numbers(key, shape, 2)))
    return (radius * jnp.cos(2 * jnp.pi * random_numbers(key, shape, 2, 1))).astype(dtype)
