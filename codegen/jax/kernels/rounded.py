"""Rounding; ints stay as they are."""

import jax.numpy as jnp


def rounded(function, x):
    return function(x) if jnp.issubdtype(x.dtype, jnp.floating) else x
