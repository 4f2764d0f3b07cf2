"""jnp.argmax or jnp.argmin; nothing of nothing."""

import jax.numpy as jnp


def best_index(function, x, axis, keepdim, shape, dtype):
    if 0 in shape:
        return jnp.zeros(shape, dtype)
    return function(x, axis=axis, keepdims=keepdim).astype(dtype)
