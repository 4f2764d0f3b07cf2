"""jnp.max or jnp.min; nothing of nothing."""

import jax.numpy as jnp


def extremum(function, x, axis, keepdim, shape):
    if 0 in shape:
        return jnp.zeros(shape, x.dtype)
    return function(x, axis=axis, keepdims=keepdim)
