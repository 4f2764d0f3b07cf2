"""The root of |x|, and below the threshold the line through 0 that meets it there."""

import jax.numpy as jnp

from codegen.jax.kernels.smallest_normal import smallest_normal


def robust_sqrt(x, threshold):
    threshold = jnp.asarray(smallest_normal(threshold, x), x.dtype)
    size = jnp.abs(x)
    below = size < threshold
    return jnp.where(below, size / jnp.sqrt(threshold), jnp.sqrt(jnp.where(below, 1, size)))
