"""Running products; exclusive: without the element itself."""

import jax.numpy as jnp
from jax import lax


def cumprod(x, axis, reverse, exclusive):
    axis = axis % x.ndim
    if not exclusive:
        return lax.cumprod(x, axis, reverse)
    one = jnp.ones_like(lax.slice_in_dim(x, 0, min(1, x.shape[axis]), axis=axis))
    if reverse:
        x = jnp.concatenate([lax.slice_in_dim(x, one.shape[axis], None, axis=axis), one], axis)
    else:
        end = x.shape[axis] - one.shape[axis]
        x = jnp.concatenate([one, lax.slice_in_dim(x, 0, end, axis=axis)], axis)
    return lax.cumprod(x, axis, reverse)
