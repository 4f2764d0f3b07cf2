"""log(|x|), and below the threshold its tangent there."""

import jax.numpy as jnp

from codegen.jax.kernels.magnitude import magnitude
from codegen.jax.kernels.smallest_normal import smallest_normal


def robust_log(x, threshold):
    threshold = smallest_normal(threshold, x)
    size = magnitude(x)
    tangent = jnp.log(jnp.asarray(threshold, x.dtype)) + size / threshold - 1
    return jnp.where(size < threshold, tangent, jnp.log(jnp.where(size < threshold, 1, size)))
