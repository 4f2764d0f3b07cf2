"""The axes from start to end, both included, as one."""

import math

import jax.numpy as jnp


def flatten(x, start, end):
    if x.ndim == 0:
        return jnp.reshape(x, (1,))
    start, end = start % x.ndim, end % x.ndim
    whole = math.prod(x.shape[start : end + 1])
    return jnp.reshape(x, (*x.shape[:start], whole, *x.shape[end + 1 :]))
