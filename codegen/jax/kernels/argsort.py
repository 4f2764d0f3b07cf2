"""The indices that sort along an axis; equal elements keep their order, NaN is the largest."""

import jax.numpy as jnp
from jax import lax


def argsort(x, axis, descending, count, dtype):
    if descending:
        backwards = jnp.flip(jnp.argsort(jnp.flip(x, axis), axis=axis, stable=True), axis)
        order = x.shape[axis] - 1 - backwards
    else:
        order = jnp.argsort(x, axis=axis, stable=True)
    if count is not None:
        order = lax.slice_in_dim(order, 0, count, axis=axis % x.ndim)
    return order.astype(dtype)
