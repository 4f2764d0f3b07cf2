"""Zeros, to which each element is added at the place from which jnp.take takes it."""

import jax.numpy as jnp


def scatter_add(x, index, shape, axis):
    places = (*[slice(None)] * (axis % len(shape)), index)
    return jnp.zeros(shape, x.dtype).at[places].add(x)
