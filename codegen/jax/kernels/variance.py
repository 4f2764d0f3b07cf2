"""The sum of squared distances from the mean, divided by max(n - correction, 0)."""

import jax.numpy as jnp

from codegen.jax.kernels.reduced_count import reduced_count


def variance(x, axis, keepdim, correction):
    distance = x - jnp.mean(x, axis=axis, keepdims=True)
    total = jnp.sum(jnp.square(distance), axis=axis, keepdims=keepdim)
    return total / jnp.asarray(max(reduced_count(x.shape, axis) - correction, 0), x.dtype)
