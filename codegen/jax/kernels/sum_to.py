"""The sum over the axes along which `shape` broadcasts."""

import jax.numpy as jnp


def sum_to(x, shape):
    new = x.ndim - len(shape)
    stretched = [new + i for i, size in enumerate(shape) if size == 1 != x.shape[new + i]]
    summed = jnp.sum(x, axis=(*range(new), *stretched), keepdims=True, dtype=x.dtype)
    return jnp.reshape(summed, shape)
