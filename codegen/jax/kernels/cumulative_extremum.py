"""The index of the largest or smallest element so far; the last of equals or of NaNs."""

import jax.numpy as jnp
from jax import lax


def cumulative_extremum(x, axis, largest, dtype):
    if x.ndim == 0:
        return jnp.zeros((), dtype)
    axis = axis % x.ndim
    x = x.astype(dtype) if x.dtype == bool else x
    is_nan = jnp.isnan(x)
    worst = jnp.array(-jnp.inf if largest else jnp.inf, x.dtype) if has_floats(x) else x
    scan = lax.cummax if largest else lax.cummin
    best = scan(jnp.where(is_nan, worst, x), axis)
    after_nan = lax.cummax(is_nan.astype(dtype), axis) > 0
    is_best = is_nan | ((x == best) & ~after_nan)
    places = lax.broadcasted_iota(dtype, x.shape, axis)
    return lax.cummax(jnp.where(is_best, places, 0), axis)


def has_floats(x):
    return jnp.issubdtype(x.dtype, jnp.floating)
