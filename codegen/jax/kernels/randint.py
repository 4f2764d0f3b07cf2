"""Ints from low up to but without high."""

import jax.numpy as jnp

from codegen.jax.kernels.random_bits import random_numbers
from codegen.jax.kernels.shape_of import shape_of


def randint(shape, key, low, high, dtype):
    drawn = jnp.floor(random_numbers(key, shape_of(shape)) * (high - low))
    return low + drawn.astype(dtype)
