"""A threshold, by default the smallest normal number."""

import jax.numpy as jnp


def smallest_normal(threshold, x):
    return float(jnp.finfo(x.dtype).tiny) if threshold is None else threshold
